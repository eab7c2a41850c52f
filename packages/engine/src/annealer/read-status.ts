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

const runningSum = (changes: readonly number[]): number[] => {
  let sum = 0;
  return changes.map((change) => (sum += change));
};

/** Throughput, and how many ran at the end of each step, from the runs themselves. */
export const readAnnealerSeries = async (
  db: Db | Tx,
  wish: { readonly minutes: number; readonly stepSeconds: number },
): Promise<AnnealerSeries> => {
  const steps = Math.ceil((wish.minutes * 60) / wish.stepSeconds);
  const step = sql`${wish.stepSeconds}::int`;
  const { rows } = await sql<{ at: Date; succeeded: number; failed: number; change: number }>`
    -- date_part, not extract: that one reckons in numeric, three times slower over many runs
    with frame as materialized (
      select floor(date_part('epoch', now()) / ${step}) * ${step} - ${(steps - 1) * wish.stepSeconds}::int as start
    ), recent as materialized (
      select x.status, floor((date_part('epoch', x.ended_at) - f.start) / ${step})::int as till,
        greatest(floor((date_part('epoch', coalesce(x.started_at, x.ended_at)) - f.start) / ${step}), 0)::int as since
      from run x, frame f where x.ended_at >= to_timestamp(f.start)
      union all
      select x.status, null, greatest(floor((date_part('epoch', x.started_at) - f.start) / ${step}), 0)::int
      from run x, frame f where x.status in ('running', 'waiting', 'cancelling') and x.started_at is not null
    ), change as (
      select step, sum(succeeded)::int as succeeded, sum(failed)::int as failed, sum(change)::int as change from (
        select till as step, count(*) filter (where status = 'succeeded') as succeeded,
          count(*) filter (where status = 'failed') as failed, -count(*) as change
        from recent where till is not null group by 1
        union all
        select since, 0, 0, count(*) from recent group by 1
      ) c group by 1
    )
    select to_timestamp(f.start + s.step * ${step}) as at, coalesce(c.succeeded, 0) as succeeded,
      coalesce(c.failed, 0) as failed, coalesce(c.change, 0) as change
    from frame f cross join generate_series(0, ${steps - 1}::int) s(step)
    left join change c on c.step = s.step order by s.step`.execute(db);
  const workers = await sql<{ concurrency: number }>`
    select coalesce(sum(concurrency), 0)::int as concurrency from worker where lease_until > now()`.execute(
    db,
  );
  return {
    start: rows[0]?.at ?? new Date(),
    stepSeconds: wish.stepSeconds,
    succeeded: rows.map((row) => row.succeeded),
    failed: rows.map((row) => row.failed),
    running: runningSum(rows.map((row) => row.change)),
    concurrency: workers.rows[0]?.concurrency ?? 0,
  };
};
