-- Boots seen, readers' exact places in the events, deliveries, backfills of jigs.

-- Every boot id a node ever had: one seen before belongs to an earlier boot, so a report that
-- carries it is stale whatever else it says (invariant 8).
create table node_epoch (
  node_id bigint not null references node on delete cascade,
  epoch bigint not null,
  boot_id text not null,
  at timestamptz not null default now(),
  primary key (node_id, epoch),
  constraint node_epoch_boot_seen_once unique (node_id, boot_id)
);

-- While this is set, neither a hello nor a poll makes the node alive: an OS install marks its node
-- so that the dying system's last poll does not start children on the machine being wiped.
alter table node add column alive_hold text;
create index node_serial on node (serial) where serial is not null;
create index node_uuid on node (system_uuid) where system_uuid is not null;

-- A batch may hold 100,000 events, so a reader's place is a position and an event within it.
alter table event_reader add column event_id bigint not null default 0;

-- Deliveries to hooks that did not succeed at once. Success leaves no row: the reader's place says it.
create table hook_delivery (
  handler text not null,
  event_id bigint not null,
  attempts integer not null default 0,
  error text not null default '',
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  dead_at timestamptz,
  primary key (handler, event_id)
);
create index hook_delivery_dead on hook_delivery (dead_at) where dead_at is not null;

alter table webhook add column failing integer not null default 0;   -- dead letters in a row
alter table webhook add column disabled_reason text;
alter table webhook_delivery add column dead_at timestamptz;
alter table webhook_delivery add column last_at timestamptz;
alter table webhook_delivery add column position bigint;
create index webhook_delivery_newest on webhook_delivery (webhook_id, id desc);
create index webhook_delivery_created on webhook_delivery (created_at);

-- A jig was switched on: nodeCreate is owed to the nodes after next_node_id that existed then.
create table jig_backfill (
  jig text primary key references jig on delete cascade,
  next_node_id bigint not null default 0,
  last_node_id bigint not null,
  started_at timestamptz not null default now(),
  done_at timestamptz
);
