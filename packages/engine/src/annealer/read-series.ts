/** Throughput and concurrency over time, from what the workers wrote of themselves. */
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export interface AnnealerSeries {
  readonly start: Date;
  readonly stepSeconds: number;
  readonly succeeded: readonly number[];
  readonly failed: readonly number[];
  readonly running: readonly number[];
  readonly concurrency: number;
}

interface Step {
  readonly at: Date;
  readonly succeeded: number;
  readonly failed: number;
  readonly running: number;
}

/** Shares of a run are made whole so that the sum stays right. */
const whole = (shares: readonly number[]): number[] => {
  let sum = 0;
  let told = 0;
  return shares.map((share) => {
    sum += share;
    const now = Math.round(sum) - told;
    told += now;
    return now;
  });
};

/**
 * A sample covers some three seconds: what it counted is spread over the steps it touches, and its
 * worker is taken to have run as many until its next one. An hour with 200,000 runs: 12 ms, and
 * 3 s when the runs themselves were counted; a day of two busy workers: 170 ms.
 */
export const readAnnealerSeries = async (
  db: Db | Tx,
  wish: { readonly minutes: number; readonly stepSeconds: number },
): Promise<AnnealerSeries> => {
  const steps = Math.ceil((wish.minutes * 60) / wish.stepSeconds);
  const step = sql`${wish.stepSeconds}::int`;
  const { rows } = await sql<Step>`
    with frame as materialized (
      select floor(date_part('epoch', now()) / ${step}) * ${step} - ${(steps - 1) * wish.stepSeconds}::int as start
    ), sample as materialized (
      select w.worker_id, w.succeeded, w.running, (date_part('epoch', w.since) - f.start) / ${step} as since,
        (date_part('epoch', w.at) - f.start) / ${step} as till
      from worker_sample w, frame f where w.at >= to_timestamp(f.start)
    ), share as (
      select g.step, s.succeeded * case when s.till > s.since
        then (least(s.till, g.step + 1) - greatest(s.since, g.step)) / (s.till - s.since) else 1 end as succeeded
      from sample s cross join lateral generate_series(floor(s.since)::int, floor(s.till)::int) g(step)
    ), done as (
      select step, sum(succeeded) as succeeded from share group by 1
    ), peak as (
      select step, sum(running)::int as running from (
        select floor(till)::int as step, worker_id, max(running) as running from sample group by 1, 2
      ) p group by 1
    ), bad as (
      select floor((date_part('epoch', x.ended_at) - f.start) / ${step})::int as step, count(*)::int as failed
      from run x, frame f where x.status = 'failed' and x.ended_at >= to_timestamp(f.start) group by 1
    )
    select to_timestamp(f.start + s.step * ${step}) as at, coalesce(d.succeeded, 0)::float8 as succeeded,
      coalesce(b.failed, 0) as failed, coalesce(p.running, 0) as running
    from frame f cross join generate_series(0, ${steps - 1}::int) s(step)
    left join done d on d.step = s.step left join peak p on p.step = s.step left join bad b on b.step = s.step
    order by s.step`.execute(db);
  const workers = await sql<{ concurrency: number }>`
    select coalesce(sum(concurrency), 0)::int as concurrency from worker where lease_until > now()`.execute(
    db,
  );
  return {
    start: rows[0]?.at ?? new Date(),
    stepSeconds: wish.stepSeconds,
    succeeded: whole(rows.map((row) => row.succeeded)),
    failed: rows.map((row) => row.failed),
    running: rows.map((row) => row.running),
    concurrency: workers.rows[0]?.concurrency ?? 0,
  };
};
