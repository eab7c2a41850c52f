-- What each worker did, one row per renewal of its lease in which it did anything: the annealer's
-- chart. Reckoned from the runs themselves, an hour with 200,000 of them took seconds to draw.
create table worker_sample (
  worker_id bigint not null,
  since timestamptz not null,
  at timestamptz not null,
  succeeded integer not null,
  running integer not null,                  -- at the end; those that wait hold no place and are not in it
  primary key (at, worker_id)
);
-- Failures are few and also come from deadlines, lost nodes and cancels, which no worker reports.
create index run_failed_when on run (ended_at) where status = 'failed';
