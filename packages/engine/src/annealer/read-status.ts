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
