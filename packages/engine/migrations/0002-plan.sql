-- What a plan was made from, kept so that a commit by its hash can say what has moved since.
-- Written when a plan is read, gone with its snapshot or when the snapshot is committed.
create table plan (
  snapshot_id bigint not null references snapshot on delete cascade,
  hash text not null,
  read_set jsonb not null,
  created_at timestamptz not null default now(),
  primary key (snapshot_id, hash)
);

-- What a role was imported as, in one text: tells whether an import changes it.
alter table role add column fingerprint text not null default '';
