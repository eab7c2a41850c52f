-- The whole model of the engine. Words are those of docs/glossary.md.
-- Rules that must hold whatever the code does live here: checks, unique indexes whose names say
-- the rule, and the triggers that (1) refuse an illegal state change, (2) write the event of every
-- state change in the same transaction, (3) keep each lane's count of claimable work.

-- ---------------------------------------------------------------- settings, people, secrets

create table setting (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);

create table app_user (
  id bigint generated always as identity primary key,
  name text not null check (name ~ '^[a-z][a-z0-9._@-]{0,127}$'),
  role text not null check (role in ('viewer', 'operator', 'admin')),
  password_hash text,
  disabled boolean not null default false,
  created_at timestamptz not null default now(),
  constraint user_name_taken unique (name)
);

create table user_grant (
  user_id bigint not null references app_user on delete cascade,
  deployment_id bigint not null,
  role text not null check (role in ('viewer', 'operator', 'admin')),
  primary key (user_id, deployment_id)
);

create table session (
  id_hash bytea primary key,
  user_id bigint not null references app_user on delete cascade,
  csrf text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

-- kind: api = a person's or program's token; signin = one-time link for the console;
-- join = lets a machine join (uses_left counts down)
create table token (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('api', 'signin', 'join')),
  name text not null default '',
  hash bytea not null unique,
  user_id bigint references app_user on delete cascade,
  role text check (role in ('viewer', 'operator', 'admin')),
  uses_left integer,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);

create table secret (
  id bigint generated always as identity primary key,
  name text not null constraint secret_name_taken unique,
  sealed bytea not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb not null default '{}'
);
create index audit_at on audit (at);

create table idempotency_key (
  actor text not null,
  key text not null,
  request_hash bytea not null,
  status integer,
  answer text,
  created_at timestamptz not null default now(),
  primary key (actor, key)
);

-- ---------------------------------------------------------------- content: barclamps, roles, jigs

create table jig (
  name text primary key,
  description text not null default '',
  active boolean not null default true,
  config jsonb not null default '{}',
  revision bigint not null default 1
);

create table barclamp (
  id bigint generated always as identity primary key,
  name text not null constraint barclamp_name_taken unique,
  version text not null,
  description text not null default '',
  source_path text not null,
  content_hash text not null,
  data jsonb not null default '{}',
  revision bigint not null default 1,
  imported_at timestamptz not null default now()
);

create table role (
  id bigint generated always as identity primary key,
  barclamp_id bigint not null references barclamp,
  name text not null constraint role_name_taken unique,
  description text not null default '',
  jig text not null references jig,
  lane text not null default 'host' check (lane in ('host', 'service')),
  discovery boolean not null default false,
  bootstrap boolean not null default false,
  implicit boolean not null default false,
  library boolean not null default false,
  cluster boolean not null default false,
  destructive boolean not null default false,
  abstract boolean not null default false,
  milestone boolean not null default false,
  service boolean not null default false,
  powersave boolean not null default false,
  reboots boolean not null default false,
  provides text[] not null default '{}',
  conflicts text[] not null default '{}',
  priority integer not null default 0,
  deadline_seconds integer not null default 3600 check (deadline_seconds between 1 and 604800),
  retry_limit integer not null default 0 check (retry_limit between 0 and 100),
  retry_backoff_seconds integer not null default 10 check (retry_backoff_seconds between 0 and 86400),
  teardown boolean not null default false,
  data jsonb not null default '{}',          -- role-level defaults given by the barclamp ("template")
  config jsonb not null default '{}',        -- for the jig (scripts, playbook, ...)
  revision bigint not null default 1,
  removed_at timestamptz                     -- dropped by a later import, kept while history names it
);
create index role_barclamp on role (barclamp_id);

-- kind: hard = requires (pulled in, must be active first); soft = order only if both are bound
create table role_require (
  role_id bigint not null references role on delete cascade,
  requires text not null,
  kind text not null check (kind in ('hard', 'soft')),
  primary key (role_id, requires)
);

-- A declared attribute: owned by a role (its data, its wall) or, without a role, by the node (facts, hints).
create table attrib (
  id bigint generated always as identity primary key,
  barclamp_id bigint not null references barclamp,
  role_id bigint references role on delete cascade,
  name text not null,
  description text not null default '',
  path text not null,                        -- where it stands in the merged document, slash separated
  schema jsonb,
  "default" jsonb,
  secret boolean not null default false,
  volatile boolean not null default false,   -- never part of an input hash
  constraint attrib_name_taken unique (name)
);

-- A role's declared inputs beyond its own attribs.
create table role_want (
  role_id bigint not null references role on delete cascade,
  attrib text not null,
  primary key (role_id, attrib)
);

-- ---------------------------------------------------------------- deployments and their history

create table deployment (
  id bigint generated always as identity primary key,
  name text not null constraint deployment_name_taken unique
    check (name ~ '^[a-z][a-z0-9._-]{0,254}$'),
  description text not null default '',
  parent_id bigint references deployment,
  system boolean not null default false,
  paused boolean not null default false,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint deployment_only_system_has_no_parent check ((parent_id is null) = system)
);
create unique index deployment_one_system on deployment (system) where system;
create index deployment_parent on deployment (parent_id);
alter table user_grant add constraint user_grant_deployment foreign key (deployment_id) references deployment on delete cascade;

-- One row per revision. What a revision holds is found in binding, deployment_role and
-- deployment_data: rows with added_revision <= r and (removed_revision is null or > r).
-- So opening a proposal costs nothing, an edit costs its own size, and a diff of two revisions
-- reads only what differs. A committed revision's rows never change but for removed_revision.
create table snapshot (
  id bigint generated always as identity primary key,
  deployment_id bigint not null references deployment on delete cascade,
  revision integer not null check (revision >= 1),
  state text not null check (state in ('proposed', 'committed', 'superseded', 'recalled')),
  message text not null default '',
  based_on integer,                          -- the revision this one copies (rollback, recall)
  created_by text not null,
  created_at timestamptz not null default now(),
  committed_by text,
  committed_at timestamptz,
  plan_hash text,
  rolling_limit integer check (rolling_limit > 0),
  canary integer check (canary > 0),
  stop_after_failures integer check (stop_after_failures > 0),
  canary_passed_at timestamptz,
  halted_at timestamptz,
  halted_reason text,
  finished_at timestamptz,
  edits bigint not null default 0,           -- bumped by each edit: the proposal's own revision (ETag)
  unique (deployment_id, revision)
);
create unique index snapshot_one_proposed_per_deployment on snapshot (deployment_id) where state = 'proposed';
create unique index snapshot_one_committed_per_deployment on snapshot (deployment_id) where state = 'committed';

create table deployment_data (
  id bigint generated always as identity primary key,
  deployment_id bigint not null references deployment on delete cascade,
  data jsonb not null default '{}',
  added_revision integer not null,
  removed_revision integer
);
create unique index deployment_data_one_open on deployment_data (deployment_id) where removed_revision is null;

create table deployment_role (
  id bigint generated always as identity primary key,
  deployment_id bigint not null references deployment on delete cascade,
  role_id bigint not null references role,
  data jsonb not null default '{}',
  added_revision integer not null,
  removed_revision integer
);
create unique index deployment_role_one_open on deployment_role (deployment_id, role_id) where removed_revision is null;

-- ---------------------------------------------------------------- nodes

create table node (
  id bigint generated always as identity primary key,
  name text not null check (name ~ '^[a-z0-9]([a-z0-9.-]{0,253}[a-z0-9])?$' and name !~ '^[0-9]+$'),
  description text not null default '',
  admin boolean not null default false,
  alive boolean not null default false,
  alive_reason text not null default 'never seen',
  alive_changed_at timestamptz not null default now(),
  available boolean not null default true,
  bootenv text not null default 'local',
  deployment_id bigint not null references deployment,
  boot_id text,                              -- of the boot that is alive, or was last
  boot_epoch bigint not null default 0,      -- grows by one with each new boot id
  labels jsonb not null default '{}',
  hint jsonb not null default '{}',
  discovery jsonb not null default '{}',
  discovered_at timestamptz,
  system_uuid text,
  serial text,
  macs text[] not null default '{}',
  plan_revision bigint not null default 1,   -- what a plan reads of a node: hints, disks, addresses; not aliveness
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz                     -- tombstone: history keeps naming it, a new boot may re-adopt it
);
create unique index node_name_taken on node (name) where deleted_at is null;
create unique index node_one_machine_per_uuid on node (system_uuid) where system_uuid is not null and deleted_at is null;
create index node_deployment on node (deployment_id);
create index node_macs on node using gin (macs);
create index node_labels on node using gin (labels jsonb_path_ops);

-- Written in batches every few seconds, so that ten thousand polls do not make ten thousand events.
create table node_presence (
  node_id bigint primary key references node on delete cascade,
  last_seen_at timestamptz not null,
  missed integer not null default 0          -- checks in a row that found it silent (hysteresis)
) with (fillfactor = 50);
create index node_presence_seen on node_presence (last_seen_at);

create table node_group (
  id bigint generated always as identity primary key,
  name text not null constraint node_group_name_taken unique,
  category text not null default 'tag',
  description text not null default '',
  revision bigint not null default 1
);
create table node_group_member (
  group_id bigint not null references node_group on delete cascade,
  node_id bigint not null references node on delete cascade,
  primary key (group_id, node_id)
);
create index node_group_member_node on node_group_member (node_id);

-- A capability to act on a node. Credentials are secrets by reference.
create table hammer (
  id bigint generated always as identity primary key,
  node_id bigint not null references node on delete cascade,
  kind text not null,
  endpoint text not null default '',
  username text not null default '',
  secret text,
  priority integer not null default 0,
  config jsonb not null default '{}',        -- for ssh: pinned host keys
  revision bigint not null default 1,
  constraint hammer_one_of_a_kind_per_node unique (node_id, kind)
);

-- What a machine proves itself with. next_hash is set while a rotation is under way: the old one
-- is good until the new one has been used once.
create table node_token (
  node_id bigint primary key references node on delete cascade,
  hash bytea not null unique,
  next_hash bytea unique,
  rotated_at timestamptz not null default now()
);

-- What a machine may have at once in each lane, and how much of it waits there.
-- claimable = open and ready > 0 and no live run; the annealer locks these rows to claim.
create table node_lane (
  node_id bigint not null references node on delete cascade,
  lane text not null check (lane in ('host', 'service')),
  open boolean not null default false,       -- the node is alive and available and not under maintenance
  ready integer not null default 0,          -- noderoles in todo without a hold + queued runs
  busy boolean not null default false,       -- a live run holds it
  priority integer not null default 0,       -- highest priority among what is ready (a hint, put right by the tick)
  ready_since timestamptz not null default now(),
  primary key (node_id, lane)
) with (fillfactor = 50);
create index node_lane_claimable on node_lane (priority desc, ready_since) where open and ready > 0 and not busy;

-- ---------------------------------------------------------------- bindings (the plan) and noderoles (the work)

create table binding (
  id bigint generated always as identity primary key,
  deployment_id bigint not null references deployment on delete cascade,
  role_id bigint not null references role,
  node_id bigint not null references node,
  data jsonb not null default '{}',
  origin text not null default 'operator' check (origin in ('operator', 'required')),
  reason text not null default '',           -- why it was pulled in
  added_revision integer not null,
  removed_revision integer
);
create unique index binding_one_open on binding (deployment_id, role_id, node_id) where removed_revision is null;
create index binding_node on binding (node_id) where removed_revision is null;
create index binding_added on binding (deployment_id, added_revision);
create index binding_removed on binding (deployment_id, removed_revision) where removed_revision is not null;

create table noderole (
  id bigint generated always as identity primary key,
  deployment_id bigint not null references deployment,
  role_id bigint not null references role,
  node_id bigint not null references node,
  lane text not null check (lane in ('host', 'service')),
  state text not null check (state in ('proposed', 'blocked', 'todo', 'transition', 'active', 'error')),
  state_since timestamptz not null default now(),
  snapshot_id bigint,                        -- the commit that last gave it work
  cohort integer not null default 0,
  priority integer not null default 0,
  pending integer not null default 0 check (pending >= 0),  -- hard parents that are not active
  holds text[] not null default '{}',        -- why a todo may not be claimed yet: paused, jig, rolling, canary, halted, backoff, consent
  not_before timestamptz,                    -- with hold backoff
  removing boolean not null default false,   -- unbound by a commit: its teardown is what runs next
  reason text not null default '',           -- blocked: by which ancestor and why; error: what went wrong
  blocked_by bigint,                         -- the noderole at the root of the blockage
  degraded_by bigint,                        -- active, but this ancestor is not
  drifted boolean not null default false,
  drift_reason text,
  stale boolean not null default false,      -- an input changed while a run was under way
  data jsonb not null default '{}',          -- operator's data as committed
  wall jsonb not null default '{}',
  input_hash text,                           -- of the last successful run
  output_hash text,                          -- of the wall that run left
  run_id bigint,                             -- the live run's handle, while there is one
  run_count integer not null default 0,
  failures integer not null default 0,       -- since the last success: counts against retry_limit
  cause text not null default '',            -- why it is to run (commit 4, retry by anna, input x changed)
  cause_count integer not null default 0,    -- how often in a row by that cause
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  constraint noderole_role_bound_once_per_node unique (node_id, role_id),
  constraint noderole_transition_has_a_run check (state <> 'transition' or run_id is not null)
) with (fillfactor = 70);
create index noderole_deployment on noderole (deployment_id, state);
create index noderole_role on noderole (role_id);
create index noderole_ready on noderole (node_id, lane, priority desc, cohort, id) where state = 'todo' and holds = '{}';
create index noderole_unsettled on noderole (state) where state in ('todo', 'blocked', 'transition', 'error');
create index noderole_backoff on noderole (not_before) where not_before is not null;
create index noderole_snapshot on noderole (snapshot_id) where snapshot_id is not null and state <> 'active';

create table edge (
  parent_id bigint not null references noderole on delete cascade,
  child_id bigint not null references noderole on delete cascade,
  soft boolean not null default false,
  primary key (parent_id, child_id)
);
create index edge_child on edge (child_id);

-- Which noderole's wall or data a wanted attribute is read from.
create table attrib_link (
  consumer_id bigint not null references noderole on delete cascade,
  attrib text not null,
  provider_id bigint not null references noderole on delete cascade,
  primary key (consumer_id, attrib)
);
create index attrib_link_provider on attrib_link (provider_id);

-- A person's leave to do one destructive thing, once.
create table consent (
  id bigint generated always as identity primary key,
  noderole_id bigint not null references noderole on delete cascade,
  input_hash text not null,
  disks text[] not null default '{}',
  plan_hash text,
  granted_by text not null,
  granted_at timestamptz not null default now(),
  used_by_run bigint,
  used_at timestamptz
);
create unique index consent_one_unused_per_input on consent (noderole_id, input_hash) where used_by_run is null;

-- ---------------------------------------------------------------- workers and runs

create table worker (
  id bigint generated always as identity primary key,
  name text not null,
  started_at timestamptz not null default now(),
  lease_until timestamptz not null,
  draining boolean not null default false,
  concurrency integer not null default 10,
  status jsonb not null default '{}'         -- what its last tick saw, did and left
);
create index worker_lease on worker (lease_until);

create sequence fencing_token;

create table run (
  id bigint generated always as identity primary key,
  noderole_id bigint not null,
  node_id bigint not null,
  role_id bigint not null,
  deployment_id bigint not null,
  lane text not null,
  jig text not null,
  kind text not null default 'run' check (kind in ('run', 'refresh', 'teardown')),
  status text not null check (status in ('queued', 'running', 'waiting', 'cancelling', 'succeeded', 'failed', 'cancelled', 'fenced')),
  token bigint not null default nextval('fencing_token'),
  attempt integer not null default 1,
  worker_id bigint,                          -- who holds it; its lease is the run's lease
  boot_epoch bigint not null default 0,      -- of the node when it started
  deadline_at timestamptz,
  expects_reboot boolean not null default false,
  waiting_for text,                          -- evidence key
  memo jsonb,                                -- the jig's own recoverable state
  input_hash text,
  attribs_hash text,                         -- frozen attributes, in frozen_attribs
  cause text not null default '',
  error text,                                -- why it failed, in one sentence
  blame text check (blame in ('node', 'content', 'us', 'operator')),
  retryable boolean,
  log_lines integer not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  constraint run_live_has_owner_or_evidence check (
    (status in ('running', 'cancelling') and worker_id is not null and deadline_at is not null)
    or (status = 'waiting' and waiting_for is not null and deadline_at is not null)
    or status not in ('running', 'cancelling', 'waiting'))
) with (fillfactor = 70);
create unique index run_one_unfenced_per_node_and_lane on run (node_id, lane) where status in ('running', 'waiting', 'cancelling');
create unique index run_one_queued_per_noderole on run (noderole_id) where status = 'queued';
create index run_noderole on run (noderole_id, id desc);
create index run_node on run (node_id, id desc);
create index run_live on run (worker_id) where status in ('running', 'waiting', 'cancelling');
create index run_deadline on run (deadline_at) where status in ('running', 'waiting', 'cancelling');
create index run_ended on run (ended_at) where log_lines > 0;
create index run_failed on run (id desc) where status = 'failed';

create table frozen_attribs (
  hash text primary key,
  attribs jsonb not null,                    -- secrets only as references
  created_at timestamptz not null default now()
);

create table run_log (
  run_id bigint not null,
  seq integer not null,
  at timestamptz not null default now(),
  stream text not null check (stream in ('out', 'err', 'jig')),
  text text not null,
  primary key (run_id, seq)
);

-- What a waiting run waits for. Written by whoever sees it (agent, boot endpoint, installer, person).
create table evidence (
  id bigint generated always as identity primary key,
  run_id bigint not null,
  key text not null,
  payload jsonb not null default '{}',
  at timestamptz not null default now(),
  taken_at timestamptz
);
create index evidence_untaken on evidence (run_id, key) where taken_at is null;

-- Work handed to a node's agent. One per run and token; the agent acknowledges, streams, reports.
create table agent_task (
  run_id bigint not null,
  token bigint not null,
  node_id bigint not null references node on delete cascade,
  lane text not null,
  action text not null check (action in ('run', 'cancel', 'reboot')),
  bundle bytea,                              -- tar of scripts + attributes, dropped when done
  timeout_seconds integer not null,
  status text not null default 'offered' check (status in ('offered', 'started', 'done', 'void')),
  boot_id text,
  next_log integer not null default 0,
  exit_code integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (run_id, token, action)
);
create index agent_task_offered on agent_task (node_id) where status in ('offered', 'started');

-- ---------------------------------------------------------------- events

-- One row per transaction that changed something. position is given after commit, by whichever
-- process holds the sequencing lock, so readers that follow position never skip a late committer.
create table event_batch (
  id bigint generated always as identity primary key,
  position bigint constraint event_batch_position_taken unique
);
create index event_batch_unplaced on event_batch (id) where position is null;
create sequence event_position;

create table event (
  id bigint generated always as identity primary key,
  batch_id bigint not null,
  kind text not null,                        -- noderole.state, node.created, snapshot.committed, run.ended, ...
  at timestamptz not null default now(),
  deployment_id bigint,
  node_id bigint,
  noderole_id bigint,
  run_id bigint,
  payload jsonb not null default '{}'
);
create index event_batch_of on event (batch_id, id);
create index event_node on event (node_id, id desc) where node_id is not null;
create index event_deployment on event (deployment_id, id desc) where deployment_id is not null and noderole_id is null;
create index event_noderole on event (noderole_id, id desc) where noderole_id is not null;
create index event_at on event using brin (at);

-- How far each reader of the events has come.
create table event_reader (
  name text primary key,
  position bigint not null default 0,
  updated_at timestamptz not null default now()
);

create table webhook (
  id bigint generated always as identity primary key,
  name text not null constraint webhook_name_taken unique,
  url text not null,
  kinds text[] not null default '{}',        -- empty = all
  secret text not null,                      -- name of a secret: signs each delivery
  active boolean not null default true,
  revision bigint not null default 1,
  created_at timestamptz not null default now()
);
create table webhook_delivery (
  id bigint generated always as identity primary key,
  webhook_id bigint not null references webhook on delete cascade,
  event_id bigint not null,
  attempts integer not null default 0,
  status integer,
  error text,
  delivered_at timestamptz,
  created_at timestamptz not null default now(),
  constraint webhook_delivery_once_per_event unique (webhook_id, event_id)
);

-- ---------------------------------------------------------------- rules kept by triggers

-- The batch of this transaction; made when the first event of it is written.
create function event_batch_id() returns bigint language plpgsql as $$
declare b bigint := nullif(current_setting('hostwright.batch', true), '')::bigint;
begin
  if b is null then
    insert into event_batch default values returning id into b;
    perform set_config('hostwright.batch', b::text, true);
    perform pg_notify('hostwright_event', '');
  end if;
  return b;
end $$;

-- Which state may follow which. packages/core/src/noderole/transition.ts is the source; a test compares.
create table noderole_transition (
  from_state text not null,
  to_state text not null,
  primary key (from_state, to_state)
);
insert into noderole_transition values
  ('proposed', 'todo'), ('proposed', 'blocked'),
  ('blocked', 'todo'), ('blocked', 'proposed'),
  ('todo', 'transition'), ('todo', 'blocked'), ('todo', 'proposed'), ('todo', 'error'),
  ('transition', 'active'), ('transition', 'error'), ('transition', 'todo'), ('transition', 'blocked'),
  ('active', 'todo'), ('active', 'blocked'), ('active', 'error'),
  ('error', 'todo'), ('error', 'blocked');

create function noderole_changed() returns trigger language plpgsql as $$
declare bad record;
begin
  select o.id, o.state as was, n.state as now into bad
    from old_rows o join new_rows n using (id)
    where o.state <> n.state
      and not exists (select 1 from noderole_transition t where t.from_state = o.state and t.to_state = n.state)
    limit 1;
  if found then
    raise exception 'noderole % may not go from % to %', bad.id, bad.was, bad.now
      using errcode = 'check_violation', constraint = 'noderole_state_change_legal';
  end if;
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
    select event_batch_id(), 'noderole.state', n.deployment_id, n.node_id, n.id, n.run_id,
           jsonb_build_object('from', o.state, 'to', n.state, 'role', n.role_id, 'reason', n.reason, 'cause', n.cause, 'revision', n.revision)
    from old_rows o join new_rows n using (id) where o.state <> n.state
    order by n.id;
  update node_lane l set ready = l.ready + d.delta,
      ready_since = case when l.ready <= 0 and d.delta > 0 then now() else l.ready_since end,
      priority = greatest(case when l.ready <= 0 then d.priority else l.priority end, d.priority)
    from (
      select n.node_id, n.lane, max(n.priority) as priority,
             sum((n.state = 'todo' and n.holds = '{}')::int - (o.state = 'todo' and o.holds = '{}')::int)::int as delta
      from old_rows o join new_rows n using (id)
      group by n.node_id, n.lane
    ) d
    where d.delta <> 0 and l.node_id = d.node_id and l.lane = d.lane;
  return null;
end $$;
create trigger noderole_changed after update on noderole
  referencing old table as old_rows new table as new_rows
  for each statement execute function noderole_changed();

create function noderole_added() returns trigger language plpgsql as $$
begin
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, payload)
    select event_batch_id(), 'noderole.state', n.deployment_id, n.node_id, n.id,
           jsonb_build_object('from', null, 'to', n.state, 'role', n.role_id, 'cause', n.cause, 'revision', n.revision)
    from new_rows n order by n.id;
  update node_lane l set ready = l.ready + d.added,
      ready_since = case when l.ready <= 0 then now() else l.ready_since end,
      priority = greatest(case when l.ready <= 0 then d.priority else l.priority end, d.priority)
    from (select node_id, lane, count(*)::int as added, max(priority) as priority
          from new_rows where state = 'todo' and holds = '{}' group by node_id, lane) d
    where l.node_id = d.node_id and l.lane = d.lane;
  return null;
end $$;
create trigger noderole_added after insert on noderole
  referencing new table as new_rows
  for each statement execute function noderole_added();

create function noderole_removed() returns trigger language plpgsql as $$
begin
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, payload)
    select event_batch_id(), 'noderole.removed', o.deployment_id, o.node_id, o.id,
           jsonb_build_object('from', o.state, 'role', o.role_id)
    from old_rows o order by o.id;
  update node_lane l set ready = l.ready - d.gone
    from (select node_id, lane, count(*)::int as gone
          from old_rows where state = 'todo' and holds = '{}' group by node_id, lane) d
    where l.node_id = d.node_id and l.lane = d.lane;
  return null;
end $$;
create trigger noderole_removed after delete on noderole
  referencing old table as old_rows
  for each statement execute function noderole_removed();

-- Runs: busy follows the live run, ready follows queued ones, and each change of status is an event.
create function run_changed() returns trigger language plpgsql as $$
begin
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
    select event_batch_id(), 'run.status', n.deployment_id, n.node_id, n.noderole_id, n.id,
           jsonb_build_object('from', o.status, 'to', n.status, 'kind', n.kind, 'token', n.token, 'lane', n.lane, 'error', n.error)
    from old_rows o join new_rows n using (id) where o.status <> n.status or o.token <> n.token
    order by n.id;
  update node_lane l set busy = d.live, ready = l.ready + d.delta,
      ready_since = case when l.busy and not d.live then now() else l.ready_since end
    from (
      select n.node_id, n.lane, bool_or(n.status in ('running', 'waiting', 'cancelling')) as live,
             bool_or((n.status in ('running', 'waiting', 'cancelling')) <> (o.status in ('running', 'waiting', 'cancelling'))) as moved,
             sum((n.status = 'queued')::int - (o.status = 'queued')::int)::int as delta
      from old_rows o join new_rows n using (id)
      where o.status <> n.status
      group by n.node_id, n.lane
    ) d
    where (d.moved or d.delta <> 0) and l.node_id = d.node_id and l.lane = d.lane;
  return null;
end $$;
create trigger run_changed after update on run
  referencing old table as old_rows new table as new_rows
  for each statement execute function run_changed();

create function run_added() returns trigger language plpgsql as $$
begin
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
    select event_batch_id(), 'run.status', n.deployment_id, n.node_id, n.noderole_id, n.id,
           jsonb_build_object('from', null, 'to', n.status, 'kind', n.kind, 'token', n.token, 'lane', n.lane, 'worker', n.worker_id)
    from new_rows n order by n.id;
  update node_lane l set
      busy = l.busy or d.live,
      ready = l.ready + d.queued,
      ready_since = case when l.ready <= 0 and d.queued > 0 then now() else l.ready_since end
    from (
      select node_id, lane, bool_or(status in ('running', 'waiting', 'cancelling')) as live, count(*) filter (where status = 'queued')::int as queued
      from new_rows group by node_id, lane
    ) d
    where l.node_id = d.node_id and l.lane = d.lane;
  return null;
end $$;
create trigger run_added after insert on run
  referencing new table as new_rows
  for each statement execute function run_added();

-- Both lanes come with the node; a lane is open while the node is alive and available.
create function node_added() returns trigger language plpgsql as $$
begin
  insert into node_lane (node_id, lane, open)
    select n.id, l.lane, n.alive and n.available and n.deleted_at is null from new_rows n cross join (values ('host'), ('service')) l(lane);
  insert into event (batch_id, kind, deployment_id, node_id, payload)
    select event_batch_id(), 'node.created', n.deployment_id, n.id, jsonb_build_object('name', n.name) from new_rows n order by n.id;
  return null;
end $$;
create trigger node_added after insert on node
  referencing new table as new_rows
  for each statement execute function node_added();

create function node_changed() returns trigger language plpgsql as $$
begin
  update node_lane l set open = d.open, ready_since = now()
    from (select n.id, n.alive and n.available and n.deleted_at is null as open
          from old_rows o join new_rows n using (id)
          where (o.alive and o.available and o.deleted_at is null) <> (n.alive and n.available and n.deleted_at is null)) d
    where l.node_id = d.id;
  insert into event (batch_id, kind, deployment_id, node_id, payload)
    select event_batch_id(), case when n.deleted_at is not null and o.deleted_at is null then 'node.deleted' else 'node.changed' end,
           n.deployment_id, n.id,
           jsonb_strip_nulls(jsonb_build_object(
             'name', n.name,
             'alive', case when o.alive <> n.alive then n.alive end,
             'aliveReason', case when o.alive <> n.alive then n.alive_reason end,
             'available', case when o.available <> n.available then n.available end,
             'bootenv', case when o.bootenv <> n.bootenv then n.bootenv end,
             'bootEpoch', case when o.boot_epoch <> n.boot_epoch then n.boot_epoch end,
             'deployment', case when o.deployment_id <> n.deployment_id then n.deployment_id end,
             'facts', case when o.discovery <> n.discovery then true end,
             'hint', case when o.hint <> n.hint then true end,
             'labels', case when o.labels <> n.labels then n.labels end))
    from old_rows o join new_rows n using (id)
    where (o.name, o.alive, o.available, o.bootenv, o.boot_epoch, o.deployment_id, o.discovery, o.hint, o.labels, o.description, o.deleted_at)
      is distinct from (n.name, n.alive, n.available, n.bootenv, n.boot_epoch, n.deployment_id, n.discovery, n.hint, n.labels, n.description, n.deleted_at)
    order by n.id;
  return null;
end $$;
create trigger node_changed after update on node
  referencing old table as old_rows new table as new_rows
  for each statement execute function node_changed();

insert into deployment (name, description, system) values ('system', 'Bootstraps the admin node and discovers machines; never proposed', true);
