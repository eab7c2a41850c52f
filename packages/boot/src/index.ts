export {
  allocateAddress,
  type AllocateOptions,
  type AllocateResult,
  type Allocation,
} from './address/allocate.ts';
export { addressCandidates } from './address/candidates.ts';
export {
  checkNetwork,
  createNetwork,
  ensureNetwork,
  type NetworkSpec,
  type RangeSpec,
} from './address/create-network.ts';
export {
  releaseAddresses,
  releaseAllocation,
  reserveAddress,
  type Released,
} from './address/release.ts';
export { listNetworks, needNetwork, needRange, type NetworkView } from './address/view.ts';
export {
  addRange,
  deleteNetwork,
  deleteRange,
  deleteRouter,
  putRouter,
  updateNetwork,
  updateRange,
  type SavedNetwork,
} from './address/update-network.ts';
export { refusalOf } from './address/refuse-constraint.ts';
export {
  listAllocations,
  needAllocation,
  type AllocationView,
} from './address/list-allocations.ts';
export { readNetworkMatrix } from './address/read-matrix.ts';
export { readNodeLinks, writeNodeLinks, type NodeLink } from './link/read-links.ts';
export { readNameFilters } from './name/read-filters.ts';
export { deleteNameFilter, putNameFilter } from './name/write-filter.ts';
export { listIntents, needIntent } from './intent/list-intents.ts';
export { askBootOnce, voidIntent } from './intent/ask-once.ts';
export { listBootEnvs, needBootEnv } from './boot/list-envs.ts';
export { listBootFiles, readBootFiles } from './files/list-files.ts';
export { listBootServers } from './feed/list-servers.ts';
export { listOsTemplates, needOsTemplate } from './template/list-templates.ts';
export { previewInstall } from './template/preview.ts';
export { conduitsClash, readConduit, resolveConduit, type Nic } from './link/conduit.ts';
export { renderNames, type NameFilter } from './name/render-names.ts';
export { decideBoot, type BootDecision, type BootFacts } from './boot/decide-boot.ts';
export type { BootDeps } from './boot/deps.ts';
export { openIntent, voidIntents } from './intent/open-intent.ts';
export { openFileStore } from './files/serve.ts';
export { importFile, type ImportedFile, type ImportOptions } from './files/import.ts';
export { placeMemtest } from './files/place-memtest.ts';
export { registerFile, registerFolder } from './files/register.ts';
export { removeFile } from './files/remove.ts';
export { signFolder } from './files/sign-folder.ts';
export { signingKey, signText, verifyText, type SigningKey } from './files/sign.ts';
export { recordBootEvent, type BootEvent } from './recorder/record.ts';
export {
  listBoots,
  needBoot,
  readBootTimeline,
  whatBooted,
  writeBootTimeline,
} from './recorder/read.ts';
export { answerBootRequest, logPath } from './http/answer.ts';
export { listenForLoaders, type BootListener } from './http/listen.ts';
export { listenForTftp, type TftpListener } from './tftp/listen.ts';
export { registerBootRoutes } from './http/routes.ts';
export { importOsTemplates, OS_FOLDER, readOsTemplate } from './template/import.ts';
export { previewTemplateFile } from './template/render-file.ts';
export { chooseDisks, type Disk } from './install/choose-disks.ts';
export { makeInstallPlan, type InstallPlan } from './install/plan.ts';
export { feedServer, type BootServerDriver, type FeedReport } from './feed/feed-server.ts';
export { missingAcks, readAcks, refusedAcks, registerBootServer } from './feed/acks.ts';
export { dnsmasqDriver } from './dnsmasq/driver.ts';
export type { DnsmasqConfig } from './dnsmasq/render.ts';
export { LAYOUT as DNSMASQ_LAYOUT } from './dnsmasq/shard.ts';
export { findDnsmasq } from './dnsmasq/find.ts';
export { startDnsmasq, stopDnsmasq } from './dnsmasq/start.ts';
export { osInstallTransition, type InstallDeps, type Restart } from './install/transition.ts';
export { sweepInstalls } from './install/sweep.ts';
export { bindDriver } from './bind/driver.ts';
export type { TsigKey } from './bind/tsig.ts';
export { keaDriver } from './kea/driver.ts';
export { startKea, stopKea } from './kea/start.ts';
export { dropKeaDatabase, keaConnection, prepareKeaDatabase } from './kea/database.ts';
export { renderKeaConfig, type KeaConfig } from './kea/render.ts';
export { startBootKeeper, type BootKeeper } from './feed/keeper.ts';
export { findNodeByUuid } from './boot/find-node.ts';
export { pruneBoots } from './recorder/prune.ts';
export { bootAdviser } from './effect/adviser.ts';
export { networkAddressesTransition } from './link/transition.ts';
export { startNamed, stopNamed } from './bind/start.ts';
export { dnsServerRole } from './bind/role.ts';
export { dhcpServerRole } from './dnsmasq/role.ts';
export { keaServerRole } from './kea/role.ts';
export { databaseRole } from './feed/database-role.ts';
export type { ServerDeps } from './feed/server-role.ts';
export { nameDisks } from './action/name-disks.ts';
export { planReinstall, reinstall, type ReinstallPlan } from './action/reinstall.ts';
export { releaseNode } from './action/release.ts';
export { carryReleases } from './action/carry-releases.ts';
export { rescueNode } from './action/rescue.ts';
export { listLifeActions } from './action/list-actions.ts';
