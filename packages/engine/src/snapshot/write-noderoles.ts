/**
 * Writes noderoles and edges in bulk: a hundred thousand of each by one statement. Parents that
 * stand already are locked first and their states read after the lock: a parent that becomes active
 * between look and write would otherwise never wake its new child.
 */
import type { GraphItem, JsonObject, NoderoleState } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

export interface NewNoderole {
  readonly id: number;
  readonly item: GraphItem;
  readonly lane: string;
  readonly priority: number;
  /** Hard parents that are not active. */
  readonly pending: number;
  readonly data: JsonObject | null;
  readonly holds: readonly string[];
}

export const reserveIds = async (tx: Tx, count: number): Promise<number[]> => {
  if (count === 0) return [];
  const { rows } = await sql<{ ids: string }>`
    select string_agg(nextval(pg_get_serial_sequence('noderole', 'id'))::text, ',') as ids from generate_series(1, ${count}::int)`.execute(
    tx,
  );
  return (rows[0]?.ids ?? '').split(',').map(Number);
};

export interface ParentState {
  readonly state: NoderoleState;
  readonly failed: boolean;
}

export const lockParents = async (
  tx: Tx,
  ids: readonly number[],
): Promise<Map<number, ParentState>> => {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: number; state: NoderoleState; failed: boolean }>`
    select id, state, state = 'error' or blocked_by is not null or degraded_by is not null as failed
    from noderole where id = any(${[...ids]}::bigint[]) order by id for share`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
};

const holdsText = (holds: readonly string[]): string => `{${holds.join(',')}}`;

export const insertNoderoles = async (
  tx: Tx,
  options: {
    readonly deploymentId: number;
    readonly snapshotId: number | null;
    readonly cause: string;
    readonly rows: readonly NewNoderole[];
  },
): Promise<void> => {
  const { rows } = options;
  if (rows.length === 0) return;
  await sql`
    insert into noderole (id, deployment_id, role_id, node_id, lane, state, snapshot_id, cohort, priority, pending, holds, data, cause)
    overriding system value
    select w.id, ${options.deploymentId}::bigint, w.role_id, w.node_id, w.lane, case when w.pending > 0 then 'blocked' else 'todo' end,
           ${options.snapshotId}::bigint, w.cohort, w.priority, w.pending, w.holds::text[], coalesce(w.data, '{}')::jsonb, ${options.cause}::text
    from unnest(${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.item.bound.roleId)}::bigint[],
      ${rows.map((row) => row.item.bound.nodeId)}::bigint[], ${rows.map((row) => row.lane)}::text[], ${rows.map((row) => row.item.cohort)}::int[],
      ${rows.map((row) => row.priority)}::int[], ${rows.map((row) => row.pending)}::int[], ${rows.map((row) => holdsText(row.holds))}::text[],
      ${rows.map((row) => (row.data === null ? null : JSON.stringify(row.data)))}::text[])
      as w(id, role_id, node_id, lane, cohort, priority, pending, holds, data)`.execute(tx);
};

/** Noderoles that a recall had sent back to proposed, committed again. */
export const recommitNoderoles = async (
  tx: Tx,
  options: {
    readonly snapshotId: number;
    readonly cause: string;
    readonly rows: readonly NewNoderole[];
  },
): Promise<void> => {
  const { rows } = options;
  if (rows.length === 0) return;
  await sql`
    update noderole n set state = case when w.pending > 0 then 'blocked' else 'todo' end, state_since = now(), snapshot_id = ${options.snapshotId},
      cohort = w.cohort, pending = w.pending, holds = w.holds::text[], data = coalesce(w.data, '{}')::jsonb, cause = ${options.cause}::text,
      blocked_by = null, reason = '', revision = n.revision + 1
    from unnest(${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.item.cohort)}::int[], ${rows.map((row) => row.pending)}::int[],
      ${rows.map((row) => holdsText(row.holds))}::text[], ${rows.map((row) => (row.data === null ? null : JSON.stringify(row.data)))}::text[])
      as w(id, cohort, pending, holds, data)
    where n.id = w.id and n.state = 'proposed'`.execute(tx);
};

export interface EdgeRow {
  readonly parent: number;
  readonly child: number;
  readonly soft: boolean;
}

export const insertEdges = async (tx: Tx, edges: readonly EdgeRow[]): Promise<void> => {
  if (edges.length === 0) return;
  await sql`
    insert into edge (parent_id, child_id, soft)
    select * from unnest(${edges.map((edge) => edge.parent)}::bigint[], ${edges.map((edge) => edge.child)}::bigint[], ${edges.map((edge) => edge.soft)}::boolean[])
    on conflict do nothing`.execute(tx);
};

/** Their parents are found anew: edges to the old ones go, so that nothing waits for what it no longer needs. */
export const dropEdgesOf = async (tx: Tx, children: readonly number[]): Promise<void> => {
  if (children.length === 0) return;
  await sql`delete from edge where child_id = any(${[...children]}::bigint[])`.execute(tx);
};

/**
 * Counts hard parents that are not active anew. What was about to start waits, what waited for
 * nothing any more goes; an active noderole stays active, whatever joined its parents.
 */
export const recountPending = async (tx: Tx, children: readonly number[]): Promise<void> => {
  if (children.length === 0) return;
  await sql`select from noderole where id = any(${[...children]}::bigint[]) order by id for update`.execute(
    tx,
  );
  await sql`
    update noderole c set pending = p.pending,
      state = case when c.state = 'todo' and p.pending > 0 and not c.removing then 'blocked' when c.state = 'blocked' and p.pending = 0 then 'todo' else c.state end,
      state_since = case when (c.state = 'todo' and p.pending > 0 and not c.removing) or (c.state = 'blocked' and p.pending = 0) then now() else c.state_since end,
      blocked_by = case when p.pending = 0 then null else c.blocked_by end,
      degraded_by = case when p.pending = 0 then null else c.degraded_by end
    from (
      select k.id, count(w.id) filter (where w.state <> 'active')::int as pending
      from unnest(${[...children]}::bigint[]) as k(id)
      left join edge e on e.child_id = k.id and not e.soft left join noderole w on w.id = e.parent_id
      group by k.id) p
    where c.id = p.id and (c.pending <> p.pending or (c.state = 'blocked' and p.pending = 0))`.execute(
    tx,
  );
};
