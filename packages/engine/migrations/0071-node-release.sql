-- An erasure that waits for the teardowns of a release. The disks are those that a person named, as they were then:
-- the leave holds for exactly these. The row goes in the transaction that grants the consent, or keeps why it ended.
create table node_release (
  node_id bigint primary key references node on delete cascade,
  asked_by text not null,
  asked_at timestamptz not null default now(),
  deadline_at timestamptz not null,
  how text not null check (how in ('quick', 'full')),
  serials text[] not null,
  bytes bigint[] not null,
  waits_for text not null default '',        -- why it has not begun, beside teardowns
  failed text,                               -- nothing was erased, and nothing will be unless somebody asks again
  constraint node_release_disk_with_size check (cardinality(serials) > 0 and cardinality(serials) = cardinality(bytes))
);
