/** The numbers a monitoring system scrapes. Each is a count over an index or a small table. */
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export interface EngineMetrics {
  readonly runs: readonly { readonly status: string; readonly count: number }[];
  readonly noderoles: readonly { readonly state: string; readonly count: number }[];
  readonly readers: readonly { readonly name: string; readonly behind: number }[];
  readonly nodes: number;
  readonly nodesAlive: number;
  readonly ready: number;
  readonly oldestReadySeconds: number | null;
  readonly workers: number;
  readonly concurrency: number;
  readonly unplaced: number;
}

export const readMetrics = async (db: Db | Tx): Promise<EngineMetrics> => {
  const { rows } = await sql<EngineMetrics>`
    select
      (select coalesce(json_agg(x), '[]') from (
         select status, count(*)::int as count from run where status in ('queued', 'running', 'waiting', 'cancelling') group by 1
         union all
         select status, count(*)::int from run where status in ('succeeded', 'failed', 'cancelled', 'fenced')
           and ended_at > now() - interval '1 day' group by 1) x) as runs,
      (select coalesce(json_agg(x), '[]') from (select state, count(*)::int as count from noderole group by 1) x) as noderoles,
      (select coalesce(json_agg(x), '[]') from (
         select name, greatest(0, (select coalesce(max(position), 0) from event_batch) - position) as behind from event_reader) x) as readers,
      (select count(*)::int from node where deleted_at is null) as nodes,
      (select count(*)::int from node where deleted_at is null and alive) as "nodesAlive",
      (select coalesce(sum(ready), 0)::int from node_lane where open and ready > 0 and not busy) as ready,
      (select extract(epoch from now() - min(ready_since))::float from node_lane where open and ready > 0 and not busy) as "oldestReadySeconds",
      (select count(*)::int from worker where lease_until > now()) as workers,
      (select coalesce(sum(concurrency), 0)::int from worker where lease_until > now()) as concurrency,
      (select count(*)::int from event_batch where position is null) as unplaced`.execute(db);
  const seen = rows[0];
  if (seen === undefined) throw new Error('a select without a from gives one row');
  return seen;
};
