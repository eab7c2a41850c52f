/** Reads and locks all that the end of these runs may change: runs, then noderoles in order of id, children included. */
import type { NoderoleState, RunKind, RunStatus } from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../db/open.ts';

export interface LiveRun {
  readonly id: number;
  readonly token: number;
  readonly status: RunStatus;
  readonly kind: RunKind;
  readonly noderole_id: number;
  readonly input_hash: string | null;
  readonly error: string | null;
  readonly blame: string | null;
  readonly waiting_for: string | null;
  readonly destructive: boolean;
  readonly retry_limit: number;
  readonly retry_backoff_seconds: number;
}

export interface EndingNoderole {
  readonly id: number;
  readonly node_id: number;
  readonly lane: string;
  readonly state: NoderoleState;
  readonly pending: number;
  readonly holds: readonly string[];
  readonly stale: boolean;
  readonly removing: boolean;
  readonly failures: number;
  readonly cause: string;
  readonly cause_count: number;
  readonly input_hash: string | null;
  readonly output_hash: string | null;
  readonly blocked_by: number | null;
  readonly degraded_by: number | null;
  readonly drifted: boolean;
  readonly snapshot_id: number | null;
  readonly run_id: number | null;
}

interface Edge {
  readonly parent_id: number;
  readonly child_id: number;
  readonly soft: boolean;
}

export const lockRuns = async (tx: Tx, runIds: readonly number[]): Promise<readonly LiveRun[]> => {
  const { rows } = await sql<LiveRun>`
    select r.id, r.token, r.status, r.kind, r.noderole_id, r.input_hash, r.error, r.blame, r.waiting_for,
           o.destructive, o.retry_limit, o.retry_backoff_seconds
    from run r join role o on o.id = r.role_id
    where r.id = any(${[...runIds]}::bigint[]) and r.status in ('running', 'waiting', 'cancelling')
    order by r.id for update of r`.execute(tx);
  return rows;
};

const lockNoderoles = async (tx: Tx, ids: RawBuilder<unknown>): Promise<EndingNoderole[]> => {
  const { rows } = await sql<EndingNoderole>`
    select id, node_id, lane, state, pending, holds, stale, removing, failures, cause, cause_count, input_hash, output_hash,
           blocked_by, degraded_by, drifted, snapshot_id, run_id
    from noderole where id = any(${ids}) order by id for update`.execute(tx);
  return rows;
};

/**
 * The noderoles and their children, locked, and then the edges between them. In this order: a commit
 * that gives a parent a child, or takes one away, holds the parent or the child meanwhile, and edges
 * read before the locks would be those from before it.
 */
export const lockFamily = async (
  tx: Tx,
  own: readonly number[],
): Promise<{ rows: Map<number, EndingNoderole>; edges: readonly Edge[] }> => {
  if (own.length === 0) return { rows: new Map(), edges: [] };
  const ids = sql`${[...own]}::bigint[]`;
  const locked = await lockNoderoles(
    tx,
    sql`array(select unnest(${ids}) union select child_id from edge where parent_id = any(${ids}))`,
  );
  const rows = new Map(locked.map((row) => [row.id, row]));
  const { rows: edges } = await sql<Edge>`
    select parent_id, child_id, soft from edge where parent_id = any(${ids})`.execute(tx);
  const late = edges.map((edge) => edge.child_id).filter((id) => !rows.has(id));
  if (late.length > 0)
    for (const row of await lockNoderoles(tx, sql`${late}::bigint[]`)) rows.set(row.id, row);
  return { rows, edges };
};

/**
 * Children on other lanes get work by this: their lanes are locked in one order, before anything is
 * written, or two completions that feed each other's nodes would wait for each other.
 */
export const lockLanesOf = async (tx: Tx, noderoles: Iterable<EndingNoderole>): Promise<void> => {
  const rows = [...noderoles];
  await sql`
    select from node_lane l where (l.node_id, l.lane) in (
      select * from unnest(${rows.map((row) => row.node_id)}::bigint[], ${rows.map((row) => row.lane)}::text[]))
    order by l.node_id, l.lane for update`.execute(tx);
};
