// Written by scripts/gen-types.ts from the migrations. Do not edit.
import type { ColumnType, GeneratedAlways } from 'kysely';

/** What a jsonb column gives back; written as a JSON text. */
export type Json = ColumnType<unknown, string, string>;
export type Timestamp = ColumnType<Date, Date | string, Date | string>;
/** Has a default. Kysely's own does not look into a ColumnType. */
export type Generated<S> =
  S extends ColumnType<infer A, infer I, infer U>
    ? ColumnType<A, I | undefined, U>
    : ColumnType<S, S | undefined, S>;

export interface AgentTaskTable {
  run_id: number;
  token: number;
  node_id: number;
  lane: string;
  action: string;
  bundle: Buffer | null;
  timeout_seconds: number;
  status: Generated<string>;
  boot_id: string | null;
  next_log: Generated<number>;
  exit_code: number | null;
  created_at: Generated<Timestamp>;
  updated_at: Generated<Timestamp>;
  sha256: string | null;
  masks: Buffer | null;
  reason: string | null;
}

export interface AllocationTable {
  id: GeneratedAlways<number>;
  range_id: number;
  node_id: number | null;
  address: string;
  note: Generated<string>;
  created_at: Generated<Timestamp>;
  released_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  quarantine_until: ColumnType<Date | null, Date | string | null, Date | string | null>;
}

export interface AppUserTable {
  id: GeneratedAlways<number>;
  name: string;
  role: string;
  password_hash: string | null;
  disabled: Generated<boolean>;
  created_at: Generated<Timestamp>;
}

export interface AttribTable {
  id: GeneratedAlways<number>;
  barclamp_id: number;
  role_id: number | null;
  name: string;
  description: Generated<string>;
  path: string;
  schema: ColumnType<unknown, string | null, string | null>;
  default: ColumnType<unknown, string | null, string | null>;
  secret: Generated<boolean>;
  volatile: Generated<boolean>;
}

export interface AttribLinkTable {
  consumer_id: number;
  attrib: string;
  provider_id: number;
}

export interface AuditTable {
  id: GeneratedAlways<number>;
  at: Generated<Timestamp>;
  actor: string;
  action: string;
  subject: string;
  detail: Generated<Json>;
}

export interface BarclampTable {
  id: GeneratedAlways<number>;
  name: string;
  version: string;
  description: Generated<string>;
  source_path: string;
  content_hash: string;
  data: Generated<Json>;
  revision: Generated<number>;
  imported_at: Generated<Timestamp>;
}

export interface BindingTable {
  id: GeneratedAlways<number>;
  deployment_id: number;
  role_id: number;
  node_id: number;
  data: Generated<Json>;
  origin: Generated<string>;
  reason: Generated<string>;
  added_revision: number;
  removed_revision: number | null;
}

export interface BootAckTable {
  server_id: number;
  node_id: number;
  version: number;
  evidence: Generated<string>;
  error: string | null;
  at: Generated<Timestamp>;
  refused: string | null;
}

export interface BootAttemptTable {
  id: GeneratedAlways<number>;
  node_id: number | null;
  mac: string | null;
  system_uuid: string | null;
  firmware: Generated<string>;
  intent_id: number | null;
  started_at: Generated<Timestamp>;
  script_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  hello_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  events: Generated<number>;
  told_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  outcome: string | null;
}

export interface BootBehindTable {
  server_id: number;
  node_id: number;
  version: number;
}

export interface BootEnvTable {
  name: string;
  kind: string;
  description: Generated<string>;
  kernel: Generated<string>;
  initrds: Generated<string[]>;
  cmdline: Generated<string>;
  os_template: string | null;
  kernel_efi: Generated<string>;
}

export interface BootEventTable {
  id: GeneratedAlways<number>;
  attempt_id: number;
  at: Generated<Timestamp>;
  kind: string;
  text: string;
  detail: Generated<Json>;
}

export interface BootFileTable {
  path: string;
  sha256: string;
  size: number;
  updated_at: Generated<Timestamp>;
}

export interface BootIntentTable {
  id: GeneratedAlways<number>;
  node_id: number | null;
  mac: string | null;
  bootenv: string;
  run_id: number | null;
  created_at: Generated<Timestamp>;
  expires_at: Timestamp;
  used_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  void_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  void_reason: string | null;
}

export interface BootServerTable {
  id: GeneratedAlways<number>;
  name: string;
  kind: string;
  node_id: number | null;
  noderole_id: number | null;
  active: Generated<boolean>;
  folder: Generated<string>;
  error: string | null;
  fed_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  server_noderole_id: number | null;
  host: Generated<string>;
  incarnation: Generated<string>;
}

export interface BootTokenTable {
  hash: Buffer;
  intent_id: number;
  purpose: string;
  expires_at: Timestamp;
  used_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
}

export interface ConsentTable {
  id: GeneratedAlways<number>;
  noderole_id: number;
  input_hash: string;
  disks: Generated<string[]>;
  plan_hash: string | null;
  granted_by: string;
  granted_at: Generated<Timestamp>;
  used_by_run: number | null;
  used_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
}

export interface DeploymentTable {
  id: GeneratedAlways<number>;
  name: string;
  description: Generated<string>;
  parent_id: number | null;
  system: Generated<boolean>;
  paused: Generated<boolean>;
  revision: Generated<number>;
  created_at: Generated<Timestamp>;
  updated_at: Generated<Timestamp>;
}

export interface DeploymentDataTable {
  id: GeneratedAlways<number>;
  deployment_id: number;
  data: Generated<Json>;
  added_revision: number;
  removed_revision: number | null;
}

export interface DeploymentRoleTable {
  id: GeneratedAlways<number>;
  deployment_id: number;
  role_id: number;
  data: Generated<Json>;
  added_revision: number;
  removed_revision: number | null;
}

export interface EdgeTable {
  parent_id: number;
  child_id: number;
  soft: Generated<boolean>;
}

export interface EventTable {
  id: GeneratedAlways<number>;
  batch_id: number;
  kind: string;
  at: Generated<Timestamp>;
  deployment_id: number | null;
  node_id: number | null;
  noderole_id: number | null;
  run_id: number | null;
  payload: Generated<Json>;
  token: number | null;
  worker_id: number | null;
  role_id: number | null;
  lane: string | null;
  cause: string | null;
  revision: number | null;
  child_id: number | null;
  child_role_id: number | null;
}

export interface EventBatchTable {
  id: GeneratedAlways<number>;
  position: number | null;
}

export interface EventReaderTable {
  name: string;
  position: Generated<number>;
  updated_at: Generated<Timestamp>;
  event_id: Generated<number>;
}

export interface EvidenceTable {
  id: GeneratedAlways<number>;
  run_id: number;
  key: string;
  payload: Generated<Json>;
  at: Generated<Timestamp>;
  taken_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
}

export interface FrozenAttribsTable {
  hash: string;
  attribs: Json;
  created_at: Generated<Timestamp>;
}

export interface HammerTable {
  id: GeneratedAlways<number>;
  node_id: number;
  kind: string;
  endpoint: Generated<string>;
  username: Generated<string>;
  secret: string | null;
  priority: Generated<number>;
  config: Generated<Json>;
  revision: Generated<number>;
}

export interface HookDeliveryTable {
  handler: string;
  event_id: number;
  attempts: Generated<number>;
  error: Generated<string>;
  first_at: Generated<Timestamp>;
  last_at: Generated<Timestamp>;
  dead_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
}

export interface IdempotencyKeyTable {
  actor: string;
  key: string;
  request_hash: Buffer;
  status: number | null;
  answer: string | null;
  created_at: Generated<Timestamp>;
}

export interface JigTable {
  name: string;
  description: Generated<string>;
  active: Generated<boolean>;
  config: Generated<Json>;
  revision: Generated<number>;
}

export interface JigBackfillTable {
  jig: string;
  next_node_id: Generated<number>;
  last_node_id: number;
  started_at: Generated<Timestamp>;
  done_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
}

export interface NameFilterTable {
  id: GeneratedAlways<number>;
  name: string;
  priority: number;
  matcher: Generated<Json>;
  template: string;
}

export interface NetworkTable {
  id: GeneratedAlways<number>;
  name: string;
  description: Generated<string>;
  category: Generated<string>;
  network_group: Generated<string>;
  domain: Generated<string>;
  vlan: number | null;
  mtu: number | null;
  conduit: Generated<string>;
  bond_mode: string | null;
  bridge: Generated<boolean>;
  configure: Generated<boolean>;
  quarantine_seconds: Generated<number>;
  revision: Generated<number>;
  created_at: Generated<Timestamp>;
}

export interface NetworkRangeTable {
  id: GeneratedAlways<number>;
  network_id: number;
  name: string;
  kind: Generated<string>;
  subnet: string;
  first: string;
  last: string;
}

export interface NodeTable {
  id: GeneratedAlways<number>;
  name: string;
  description: Generated<string>;
  admin: Generated<boolean>;
  alive: Generated<boolean>;
  alive_reason: Generated<string>;
  alive_changed_at: Generated<Timestamp>;
  available: Generated<boolean>;
  bootenv: Generated<string>;
  deployment_id: number;
  boot_id: string | null;
  boot_epoch: Generated<number>;
  labels: Generated<Json>;
  hint: Generated<Json>;
  discovery: Generated<Json>;
  discovered_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  system_uuid: string | null;
  serial: string | null;
  macs: Generated<string[]>;
  plan_revision: Generated<number>;
  revision: Generated<number>;
  created_at: Generated<Timestamp>;
  updated_at: Generated<Timestamp>;
  deleted_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  alive_hold: string | null;
}

export interface NodeBootTable {
  node_id: number;
  version: number;
}

export interface NodeEpochTable {
  node_id: number;
  epoch: number;
  boot_id: string;
  at: Generated<Timestamp>;
}

export interface NodeGroupTable {
  id: GeneratedAlways<number>;
  name: string;
  category: Generated<string>;
  description: Generated<string>;
  revision: Generated<number>;
}

export interface NodeGroupMemberTable {
  group_id: number;
  node_id: number;
}

export interface NodeLaneTable {
  node_id: number;
  lane: string;
  open: Generated<boolean>;
  ready: Generated<number>;
  busy: Generated<boolean>;
  priority: Generated<number>;
  ready_since: Generated<Timestamp>;
  queued: Generated<number>;
  next_noderole: number | null;
}

export interface NodeLinkTable {
  node_id: number;
  network_id: number;
  members: string[];
  bond_mode: string | null;
  bridge: string | null;
  vlan: number | null;
  conduit: Generated<string>;
}

export interface NodePresenceTable {
  node_id: number;
  last_seen_at: Timestamp;
  missed: Generated<number>;
}

export interface NodeReleaseTable {
  node_id: number;
  asked_by: string;
  asked_at: Generated<Timestamp>;
  deadline_at: Timestamp;
  how: string;
  serials: string[];
  bytes: number[];
  waits_for: Generated<string>;
  failed: string | null;
}

export interface NodeTokenTable {
  node_id: number;
  hash: Buffer;
  next_hash: Buffer | null;
  rotated_at: Generated<Timestamp>;
}

export interface NoderoleTable {
  id: GeneratedAlways<number>;
  deployment_id: number;
  role_id: number;
  node_id: number;
  lane: string;
  state: string;
  state_since: Generated<Timestamp>;
  snapshot_id: number | null;
  cohort: Generated<number>;
  priority: Generated<number>;
  pending: Generated<number>;
  holds: Generated<string[]>;
  not_before: ColumnType<Date | null, Date | string | null, Date | string | null>;
  removing: Generated<boolean>;
  reason: Generated<string>;
  blocked_by: number | null;
  degraded_by: number | null;
  drifted: Generated<boolean>;
  drift_reason: string | null;
  stale: Generated<boolean>;
  data: Generated<Json>;
  wall: Generated<Json>;
  input_hash: string | null;
  output_hash: string | null;
  run_id: number | null;
  run_count: Generated<number>;
  failures: Generated<number>;
  cause: Generated<string>;
  cause_count: Generated<number>;
  revision: Generated<number>;
  created_at: Generated<Timestamp>;
}

export interface NoderoleTransitionTable {
  from_state: string;
  to_state: string;
}

export interface OsInstallTable {
  id: GeneratedAlways<number>;
  node_id: number;
  noderole_id: number;
  run_id: number;
  plan: Json;
  phase: string;
  phase_since: Generated<Timestamp>;
  phase_deadline: Timestamp;
  boot_epoch: number;
  boots: Generated<number>;
  wipe_granted_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  error: string | null;
  created_at: Generated<Timestamp>;
  waits_for: Generated<string>;
  failed_in: string | null;
}

export interface OsTemplateTable {
  name: string;
  title: string;
  family: string;
  version: string;
  kind: string;
  folder: string;
  content_hash: string;
  data: Generated<Json>;
  imported_at: Generated<Timestamp>;
}

export interface PlanTable {
  snapshot_id: number;
  hash: string;
  read_set: Json;
  created_at: Generated<Timestamp>;
}

export interface RemovedNoderoleTable {
  id: number;
  node_id: number;
}

export interface RoleTable {
  id: GeneratedAlways<number>;
  barclamp_id: number;
  name: string;
  description: Generated<string>;
  jig: string;
  lane: Generated<string>;
  discovery: Generated<boolean>;
  bootstrap: Generated<boolean>;
  implicit: Generated<boolean>;
  library: Generated<boolean>;
  cluster: Generated<boolean>;
  destructive: Generated<boolean>;
  abstract: Generated<boolean>;
  milestone: Generated<boolean>;
  service: Generated<boolean>;
  powersave: Generated<boolean>;
  reboots: Generated<boolean>;
  provides: Generated<string[]>;
  conflicts: Generated<string[]>;
  priority: Generated<number>;
  deadline_seconds: Generated<number>;
  retry_limit: Generated<number>;
  retry_backoff_seconds: Generated<number>;
  teardown: Generated<boolean>;
  data: Generated<Json>;
  config: Generated<Json>;
  revision: Generated<number>;
  removed_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  fingerprint: Generated<string>;
}

export interface RoleRequireTable {
  role_id: number;
  requires: string;
  kind: string;
}

export interface RoleWantTable {
  role_id: number;
  attrib: string;
}

export interface RouterTable {
  network_id: number;
  address: string;
  pref: Generated<number>;
}

export interface RunTable {
  id: GeneratedAlways<number>;
  noderole_id: number;
  node_id: number;
  role_id: number;
  deployment_id: number;
  lane: string;
  jig: string;
  kind: Generated<string>;
  status: string;
  token: Generated<number>;
  attempt: Generated<number>;
  worker_id: number | null;
  boot_epoch: Generated<number>;
  deadline_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  expects_reboot: Generated<boolean>;
  waiting_for: string | null;
  memo: ColumnType<unknown, string | null, string | null>;
  input_hash: string | null;
  attribs_hash: string | null;
  cause: Generated<string>;
  error: string | null;
  blame: string | null;
  retryable: boolean | null;
  log_lines: Generated<number>;
  created_at: Generated<Timestamp>;
  started_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  ended_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
}

export interface RunLogTable {
  run_id: number;
  seq: number;
  at: Generated<Timestamp>;
  stream: string;
  text: string;
}

export interface SchemaMigrationTable {
  number: number;
  name: string;
  applied_at: Generated<Timestamp>;
}

export interface SecretTable {
  id: GeneratedAlways<number>;
  name: string;
  sealed: Buffer;
  created_at: Generated<Timestamp>;
  updated_at: Generated<Timestamp>;
}

export interface SessionTable {
  id_hash: Buffer;
  user_id: number;
  csrf: string;
  created_at: Generated<Timestamp>;
  expires_at: Timestamp;
}

export interface SettingTable {
  key: string;
  value: Json;
  updated_at: Generated<Timestamp>;
}

export interface SnapshotTable {
  id: GeneratedAlways<number>;
  deployment_id: number;
  revision: number;
  state: string;
  message: Generated<string>;
  based_on: number | null;
  created_by: string;
  created_at: Generated<Timestamp>;
  committed_by: string | null;
  committed_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  plan_hash: string | null;
  rolling_limit: number | null;
  canary: number | null;
  stop_after_failures: number | null;
  canary_passed_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  halted_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  halted_reason: string | null;
  finished_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  edits: Generated<number>;
}

export interface TokenTable {
  id: GeneratedAlways<number>;
  kind: string;
  name: Generated<string>;
  hash: Buffer;
  user_id: number | null;
  role: string | null;
  uses_left: number | null;
  created_at: Generated<Timestamp>;
  expires_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  revoked_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  last_used_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  boot_intent_id: number | null;
}

export interface UnsettledTable {
  noderole_id: number;
}

export interface UserGrantTable {
  user_id: number;
  deployment_id: number;
  role: string;
}

export interface WebhookTable {
  id: GeneratedAlways<number>;
  name: string;
  url: string;
  kinds: Generated<string[]>;
  secret: string;
  active: Generated<boolean>;
  revision: Generated<number>;
  created_at: Generated<Timestamp>;
  failing: Generated<number>;
  disabled_reason: string | null;
}

export interface WebhookDeliveryTable {
  id: GeneratedAlways<number>;
  webhook_id: number;
  event_id: number;
  attempts: Generated<number>;
  status: number | null;
  error: string | null;
  delivered_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  created_at: Generated<Timestamp>;
  dead_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  last_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  position: number | null;
}

export interface WorkerTable {
  id: GeneratedAlways<number>;
  name: string;
  started_at: Generated<Timestamp>;
  lease_until: Timestamp;
  draining: Generated<boolean>;
  concurrency: Generated<number>;
  status: Generated<Json>;
}

export interface WorkerSampleTable {
  worker_id: number;
  since: Timestamp;
  at: Timestamp;
  succeeded: number;
  running: number;
}

export interface DB {
  agent_task: AgentTaskTable;
  allocation: AllocationTable;
  app_user: AppUserTable;
  attrib: AttribTable;
  attrib_link: AttribLinkTable;
  audit: AuditTable;
  barclamp: BarclampTable;
  binding: BindingTable;
  boot_ack: BootAckTable;
  boot_attempt: BootAttemptTable;
  boot_behind: BootBehindTable;
  boot_env: BootEnvTable;
  boot_event: BootEventTable;
  boot_file: BootFileTable;
  boot_intent: BootIntentTable;
  boot_server: BootServerTable;
  boot_token: BootTokenTable;
  consent: ConsentTable;
  deployment: DeploymentTable;
  deployment_data: DeploymentDataTable;
  deployment_role: DeploymentRoleTable;
  edge: EdgeTable;
  event: EventTable;
  event_batch: EventBatchTable;
  event_reader: EventReaderTable;
  evidence: EvidenceTable;
  frozen_attribs: FrozenAttribsTable;
  hammer: HammerTable;
  hook_delivery: HookDeliveryTable;
  idempotency_key: IdempotencyKeyTable;
  jig: JigTable;
  jig_backfill: JigBackfillTable;
  name_filter: NameFilterTable;
  network: NetworkTable;
  network_range: NetworkRangeTable;
  node: NodeTable;
  node_boot: NodeBootTable;
  node_epoch: NodeEpochTable;
  node_group: NodeGroupTable;
  node_group_member: NodeGroupMemberTable;
  node_lane: NodeLaneTable;
  node_link: NodeLinkTable;
  node_presence: NodePresenceTable;
  node_release: NodeReleaseTable;
  node_token: NodeTokenTable;
  noderole: NoderoleTable;
  noderole_transition: NoderoleTransitionTable;
  os_install: OsInstallTable;
  os_template: OsTemplateTable;
  plan: PlanTable;
  removed_noderole: RemovedNoderoleTable;
  role: RoleTable;
  role_require: RoleRequireTable;
  role_want: RoleWantTable;
  router: RouterTable;
  run: RunTable;
  run_log: RunLogTable;
  schema_migration: SchemaMigrationTable;
  secret: SecretTable;
  session: SessionTable;
  setting: SettingTable;
  snapshot: SnapshotTable;
  token: TokenTable;
  unsettled: UnsettledTable;
  user_grant: UserGrantTable;
  webhook: WebhookTable;
  webhook_delivery: WebhookDeliveryTable;
  worker: WorkerTable;
  worker_sample: WorkerSampleTable;
}
