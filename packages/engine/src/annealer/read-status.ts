/** What the annealer is doing: what runs, what could, what is held back and why. */
import type { RunStatus } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export interface AnnealerStatus {
  readonly runs: Partial<Record<RunStatus, number>>;
  readonly ready: number;
  readonly held: Readonly<Record<string, number>>;
  readonly oldestReadySeconds: number | null;
}

export const readAnnealerStatus = async (db: Db | Tx): Promise<AnnealerStatus> => {
  const runs = await sql<{ status: RunStatus; count: number }>`
    select status, count(*)::int as count from run where status in ('running', 'waiting', 'cancelling') group by 1
    union all select 'queued', count(*)::int from run where status = 'queued'
    union all select 'failed', count(*)::int from run where status = 'failed' and ended_at > now() - interval '1 day'`.execute(
    db,
  );
  const held = await sql<{ hold: string; count: number }>`
    select h.hold, count(*)::int as count from noderole nr cross join lateral unnest(nr.holds) h(hold)
    where nr.state = 'todo' and nr.holds <> '{}' group by 1`.execute(db);
  const lanes = await sql<{ ready: number; oldest: number | null }>`
    select coalesce(sum(ready), 0)::int as ready, extract(epoch from now() - min(ready_since))::float as oldest
    from node_lane where open and ready > 0 and not busy`.execute(db);
  return {
    runs: Object.fromEntries(runs.rows.map((row) => [row.status, row.count])),
    ready: lanes.rows[0]?.ready ?? 0,
    held: Object.fromEntries(held.rows.map((row) => [row.hold, row.count])),
    oldestReadySeconds: lanes.rows[0]?.oldest ?? null,
  };
};

export interface AnnealerSeries {
  readonly start: Date;
  readonly stepSeconds: number;
  readonly succeeded: readonly number[];
  readonly failed: readonly number[];
  readonly running: readonly number[];
  readonly concurrency: number;
}

/** Throughput and mean number of runs at once, from the runs themselves. */
export const readAnnealerSeries = async (
  db: Db | Tx,
  wish: { readonly minutes: number; readonly stepSeconds: number },
): Promise<AnnealerSeries> => {
  const steps = Math.ceil((wish.minutes * 60) / wish.stepSeconds);
  const step = sql`${wish.stepSeconds}::int`;
  const { rows } = await sql<{ at: Date; succeeded: number; failed: number; busy: number }>`
    with frame as materialized (
      select floor(extract(epoch from now()) / ${step}) * ${step} - ${(steps - 1) * wish.stepSeconds}::int as start
    ), recent as materialized (
      select x.status, extract(epoch from x.ended_at) - f.start as till,
        extract(epoch from coalesce(x.started_at, x.ended_at)) - f.start as since
      from run x, frame f where x.ended_at >= to_timestamp(f.start)
      union all
      select x.status, extract(epoch from now()) - f.start, extract(epoch from x.started_at) - f.start
      from run x, frame f where x.status in ('running', 'waiting', 'cancelling') and x.started_at is not null
    ), ended as (
      select floor(till / ${step})::int as step, count(*) filter (where status = 'succeeded')::int as succeeded,
        count(*) filter (where status = 'failed')::int as failed
      from recent where status in ('succeeded', 'failed') group by 1
    ), busy as (
      select s.step, sum(least(r.till, (s.step + 1) * ${step}) - greatest(r.since, s.step * ${step}))::float as seconds
      from recent r cross join lateral
        generate_series(greatest(floor(r.since / ${step}), 0)::int, floor(r.till / ${step})::int) s(step)
      group by 1
    )
    select to_timestamp(f.start + s.step * ${step}) as at, coalesce(e.succeeded, 0) as succeeded,
      coalesce(e.failed, 0) as failed, coalesce(b.seconds, 0) as busy
    from frame f cross join generate_series(0, ${steps - 1}::int) s(step)
    left join ended e on e.step = s.step left join busy b on b.step = s.step order by s.step`.execute(
    db,
  );
  const workers = await sql<{ concurrency: number }>`
    select coalesce(sum(concurrency), 0)::int as concurrency from worker where lease_until > now()`.execute(
    db,
  );
  return {
    start: rows[0]?.at ?? new Date(),
    stepSeconds: wish.stepSeconds,
    succeeded: rows.map((row) => row.succeeded),
    failed: rows.map((row) => row.failed),
    running: rows.map((row) => Math.round((row.busy / wish.stepSeconds) * 100) / 100),
    concurrency: workers.rows[0]?.concurrency ?? 0,
  };
};
