export { openDatabase, type Database, type Db, type OpenOptions, type Tx } from './db/open.ts';
export { listMigrations, migrate, type MigrateReport } from './db/migrate.ts';
export { sqlState, transaction } from './db/transaction.ts';
export { PAIR_LOCKS } from './db/locks.ts';
export type { Evidence, Jig, Outcome, RunHandle, RunNode } from './jig.ts';
export { describeSchema } from './db/describe-schema.ts';
export { emit, emitAll, type NewEvent } from './event/emit.ts';
export {
  EMITTED_EVENTS,
  EVENT_KINDS,
  TRIGGER_EVENTS,
  type EmittedKind,
  type EventKind,
} from './event/kinds.ts';
export { sequenceEvents } from './event/sequence.ts';
export {
  readEvents,
  readHead,
  START,
  type Cursor,
  type EventFilter,
  type EventPage,
  type EventRecord,
} from './event/read.ts';
export {
  startEventFeed,
  type EventFeed,
  type FeedOptions,
  type SubscribeOptions,
} from './event/feed.ts';
export type { Subscription } from './event/subscriber.ts';
export { SILENT, type Log } from './event/log.ts';
export { listen, type Listener } from './event/listen.ts';
export {
  createNode,
  createNodes,
  type CreatedNode,
  type CreatedNodes,
  type NewNode,
} from './node/create.ts';
export { findNode, needNode, readNodes, type NodeRecord } from './node/find.ts';
export { offerTask, type NewTask, type Offer } from './agent-task/offer.ts';
export { cancelTask, isTaskOpen, type CancelAnswer } from './agent-task/cancel.ts';
export { listOfferedTasks, type OfferedTask } from './agent-task/list-offered.ts';
export { listLiveTasks, type LiveTask } from './agent-task/list-live.ts';
export type { CurrentTask, TaskKey } from './agent-task/current.ts';
export { readTaskBundle } from './agent-task/read-bundle.ts';
export { startTask } from './agent-task/start.ts';
export { AGENT_RESULT, finishTask, type TaskResult } from './agent-task/finish.ts';
export { appendTaskLog, type TaskLog } from './agent-task/append-log.ts';
export { voidDeadTasks } from './agent-task/void-dead.ts';
export {
  hashToken,
  issueNodeToken,
  makeToken,
  promoteNodeToken,
  readNodeTokens,
  rotateNodeTokens,
  type KnownToken,
} from './node-token/node-token.ts';
export { takeJoinToken } from './node-token/take-join-token.ts';
export {
  joinNode,
  type Joined,
  type JoinedNode,
  type JoinOptions,
} from './node-token/join-node.ts';
export { joinNewNodes, type NewJoin } from './node-token/join-new-nodes.ts';
export { openBundle, openMasks, sealBundle, type SealedBundle } from './agent-task/seal-bundle.ts';
export { adoptNode, type Adopted, type AdoptOptions, type Machine } from './node/adopt.ts';
export { adoptDeletedNode, listNodeOffers, type NodeOffer } from './node/offers.ts';
export {
  updateNode,
  type NodeChanges,
  type UpdatedNode,
  type UpdateNodeOptions,
} from './node/update.ts';
export { deleteNode, type DeletedNode, type DeleteNodeOptions } from './node/delete.ts';
export { reportHello, type Hello } from './node/hello.ts';
export { reportHellos } from './node/hellos.ts';
export { reportInventory, type Inventory, type InventoryOptions } from './node/inventory.ts';
export { reportInventories } from './node/inventories.ts';
export { setNodeAlive, setNodeBootenv } from './node/set.ts';
export { ensureAdminNode } from './node/ensure-admin.ts';
export { recordPresence } from './presence/record.ts';
export { judgePresence, type Judgement, type JudgeOptions } from './presence/judge.ts';
export { reveal, wrapSecret, type Secret } from './secret/secret.ts';
export { masterKey, type MasterKey } from './secret/seal.ts';
export { readKeyFile } from './secret/key-file.ts';
export {
  deleteSecret,
  listSecrets,
  putSecret,
  readSecret,
  type SecretRecord,
} from './secret/store.ts';
export { createMasker, type Masker } from './secret/mask.ts';
export { resolveSecrets, type Resolved } from './secret/resolve.ts';
export { claimRuns, type Claim, type ClaimOptions } from './run/claim-runs.ts';
export type { ClaimedRun } from './run/claimed-run.ts';
export { completeRuns, type Completion, type RunReport } from './run/complete-runs.ts';
export { reportRuns } from './run/report-runs.ts';
export type { LogLine } from './run/write-ending.ts';
export { appendRunLog, type RunLines } from './run/append-run-log.ts';
export { requestRuns, type Requested, type RequestRuns } from './noderole/request-runs.ts';
export {
  startWorker,
  type Worker,
  type WorkerOptions,
  type WorkerStatus,
} from './worker/start-worker.ts';
export { registerWorker } from './worker/lease.ts';
export {
  ANNEALER_MODES,
  readAnnealer,
  requestPass,
  setAnnealer,
  type AnnealerMode,
} from './annealer/annealer-mode.ts';
export { readCatalogue } from './role/read-catalogue.ts';
export { createDeployment, readDeployment, type DeploymentRecord } from './deployment/create.ts';
export { updateDeployment } from './deployment/update.ts';
export { deleteDeployment } from './deployment/delete.ts';
export { lockTree } from './deployment/lock-tree.ts';
export { readBelow, readChain, type ChainLink } from './deployment/read-chain.ts';
export { listSnapshots, readSnapshot, type SnapshotRecord } from './snapshot/read.ts';
export { proposeSnapshot, rollbackDeployment } from './snapshot/propose.ts';
export { discardSnapshot } from './snapshot/discard.ts';
export { diffSnapshots, type SnapshotDiff } from './snapshot/diff.ts';
export {
  addDeploymentRole,
  removeDeploymentRole,
  setBindingData,
  setDeploymentData,
} from './snapshot/edit-data.ts';
export { setSystemData, type SystemData, type SystemDataSet } from './snapshot/set-system-data.ts';
export { bindRoles, type BindAnswer, type BindingRequest } from './binding/bind.ts';
export { unbindRoles, type UnbindAnswer } from './binding/unbind.ts';
export { explainBinding, type BindingExplanation } from './binding/explain.ts';
export {
  findApiToken,
  findSession,
  readAncestry,
  readDeploymentOf,
  type AccessRole,
  type Grant,
  type Identity,
  type SessionIdentity,
} from './access/identify.ts';
export {
  closeSession,
  closeSessionsOf,
  createSigninLink,
  dropExpiredAccess,
  findSignIn,
  openSession,
  useSigninLink,
} from './access/session.ts';
export {
  createUser,
  deleteUser,
  ensureFirstUser,
  listUsers,
  needUser,
  setGrants,
  updateUser,
  type UserRecord,
} from './access/user.ts';
export {
  createToken,
  listTokens,
  readToken,
  revokeToken,
  type TokenRecord,
} from './access/token.ts';
export { rotateMasterKey } from './secret/rotate-master-key.ts';
export { auditChange } from './db/audited.ts';
export { writeAudit, type AuditEntry } from './audit/write-audit.ts';
export { answerKey, claimKey, releaseKey, type KeyClaim } from './idempotency/claim-key.ts';
export { decodeCursor, encodeCursor, type Page, type PageWish } from './page/cursor.ts';
export { listById } from './page/list-by-id.ts';
export { whereIdOrName } from './db/id-or-name.ts';
export {
  countNodes,
  listNodes,
  readNodeView,
  type NodeListFilter,
  type NodeListItem,
} from './node/list-nodes.ts';
export {
  listDeployments,
  needDeploymentId,
  readDeploymentView,
  type DeploymentView,
} from './deployment/list-deployments.ts';
export { listEvents } from './event/list-events.ts';
export { readSchemaNumber } from './db/read-schema.ts';
export { listWorkers, type WorkerView } from './worker/list-workers.ts';
export {
  countFleet,
  listAttention,
  readFleet,
  readFleetNodes,
  rollupOf,
  type FleetNode,
  type FleetRow,
} from './fleet/read-fleet.ts';
export { readMetrics } from './fleet/read-metrics.ts';
export { tick, type TickOptions } from './annealer/tick.ts';
export { pauseDeployment, resumeDeployment } from './annealer/pause-deployment.ts';
export { releaseHolds } from './annealer/release-holds.ts';
export { retryNoderoles, type Retried, type RetryScope } from './noderole/retry-noderoles.ts';
export { requestRefresh } from './noderole/request-refresh.ts';
export { removeNoderoles, type Removal } from './noderole/remove-noderoles.ts';
export { markDescendants, markFromParents } from './noderole/mark-descendants.ts';
export { cancelRun } from './run/cancel-run.ts';
export { nodeLost, nodeRebooted } from './run/node-lost.ts';
export { CAUSE_LIMIT } from './run/decide-ending.ts';
export { recordEvidence, type NewEvidence } from './evidence/record-evidence.ts';
export { grantConsent, grantConsents, type NewConsent } from './consent/grant-consent.ts';
export { startRollout } from './rollout/start-rollout.ts';
export type {
  BarclampHooks,
  BindSubject,
  CommitSubject,
  DeploymentSubject,
  HookContext,
  NoderoleSubject,
  NodeSubject,
  PlainSubject,
  Veto,
  VetoContext,
} from './hook/hooks.ts';
export { HOOKS, VETO_HOOKS, type HookName } from './hook/kinds.ts';
export { loadHooks } from './hook/load.ts';
export { runVetoes, type BindQuestion, type CommitQuestion } from './hook/veto.ts';
export {
  startDelivery,
  type DeliveryOptions,
  type RunningDelivery,
} from './hook/start-delivery.ts';
export { findWebhook, listWebhooks, type WebhookRecord } from './webhook/find.ts';
export { createWebhook } from './webhook/create.ts';
export { updateWebhook } from './webhook/update.ts';
export { deleteWebhook } from './webhook/delete.ts';
export { listWebhookDeliveries, type WebhookDeliveryRecord } from './webhook/list-deliveries.ts';
export type { WebhookFields } from './webhook/check.ts';
export type { SavedWebhook } from './webhook/saved.ts';
export { SIGNATURE_HEADER, signWebhook, verifyWebhook } from './webhook/sign.ts';
export { registerJigs, setJigActive } from './jig-registry/registry.ts';
export { findTransition } from './run/find-transition.ts';
export { writeBackup, type BackupFile, type BackupOptions } from './backup/write-backup.ts';
export { restoreBackup, type RestoreReport } from './backup/restore-backup.ts';
export { withdrawConsents, type Withdrawn } from './backup/withdraw-consents.ts';
export { listDeploymentTree, type StateCounts } from './deployment/list-deployments.ts';
export { listDeploymentRoles } from './deployment/list-deployment-roles.ts';
export { readMatrix, type Matrix } from './deployment/read-matrix.ts';
export { readGraph, type Graph } from './deployment/read-graph.ts';
export { listRoles, readRoleView, type RoleView } from './role/list-roles.ts';
export { listBarclamps, readBarclampView } from './barclamp/list-barclamps.ts';
export { listJigs, readJigView } from './jig-registry/list-jigs.ts';
export { listNeighbours, listNoderoles, readNoderoleView } from './noderole/list-noderoles.ts';
export { listRuns, readRunView, type RunView } from './run/list-runs.ts';
export { readRunLog, type RunLogPart } from './run/read-run-log.ts';
export { listAudit } from './audit/list-audit.ts';
export { readSnapshotContent } from './snapshot/read-content.ts';
export { readProgress, type Progress } from './snapshot/read-progress.ts';
export { readAnnealerSeries } from './annealer/read-series.ts';
export { readAnnealerStatus } from './annealer/read-status.ts';
export { listSettings, putSetting, resetSetting, SETTINGS } from './setting/settings.ts';
export { planSnapshot, type Plan } from './snapshot/plan.ts';
export {
  bindingKey,
  type PlanAdvice,
  type PlanAdviser,
  type PlanEffect,
  type PlanQuestion,
} from './snapshot/advise.ts';
export { commitSnapshot, type CommitAnswer, type CommitOptions } from './snapshot/commit.ts';
export type { ConsentGiven } from './snapshot/give-consents.ts';
export { recallSnapshot, type Recalled, type RecallOptions } from './snapshot/recall.ts';
export { importBarclamp, type ImportReport } from './barclamp/import.ts';
export { bindSystemRoles } from './binding/bind-system-roles.ts';
export { resolveInputs, type ResolvedInputs } from './attribs/resolve-inputs.ts';
export { explainAttribs, type ExplainedAttribs, type ExplainedValue } from './attribs/explain.ts';
export { reconsiderInputs, type Reconsidered } from './attribs/reconsider-inputs.ts';
export { explainNode, explainNoderole, explainNoderoles } from './why/explain.ts';
export { explainDeployment, type DeploymentWhy } from './why/explain-deployment.ts';
export { findGroup, listGroups, type GroupRecord } from './group/find.ts';
export { createGroup } from './group/create.ts';
export { updateGroup } from './group/update.ts';
export { deleteGroup } from './group/delete.ts';
export { changeGroupMembers } from './group/change-members.ts';
export type { GroupFields, SavedGroup } from './group/check.ts';
export {
  deleteHammer,
  listHammers,
  putHammer,
  type HammerFields,
  type HammerRecord,
  type SavedHammer,
} from './hammer/store.ts';
export { readRetention, RETENTION_DEFAULTS, type RetentionPolicy } from './retention/policy.ts';
export { cleanUp, type Cleaned } from './retention/clean.ts';
export { readNodeAttribs, type NodeAttrib } from './node/read-node-attribs.ts';
export {
  isFirstKeyTrusted,
  isRunOver,
  readWayToNode,
  TRUST_FIRST_KEY,
  type SshHammer,
  type WayToNode,
} from './agent-task/read-way.ts';
export { listSshNodes, type SshNode } from './agent-task/list-ssh-nodes.ts';
