/** The noderole graph of a deployment: its noderoles, their edges, and the foreign parents these hang on. */
import type { NoderoleState } from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { refsTo } from '../page/list-by-id.ts';

export interface GraphNoderole {
  readonly id: number;
  readonly node: string;
  readonly nodeId: number;
  readonly role: string;
  readonly roleId: number;
  readonly deploymentId: number;
  readonly state: NoderoleState;
  readonly cohort: number;
  readonly degraded: boolean;
  readonly drifted: boolean;
  readonly blockedBy: number | null;
  readonly reason: string;
  readonly foreign: boolean;
}

export interface Graph {
  readonly truncated: boolean;
  readonly noderoles: readonly GraphNoderole[];
  readonly edges: readonly (readonly [parent: number, child: number, soft: boolean])[];
}

export const readGraph = async (
  db: Db | Tx,
  wish: {
    readonly deploymentId: number;
    readonly node?: string | undefined;
    readonly role?: string | undefined;
    readonly limit: number;
  },
): Promise<Graph> => {
  const where: RawBuilder<unknown>[] = [sql`nr.deployment_id = ${wish.deploymentId}`];
  if (wish.node !== undefined) where.push(sql`nr.node_id = ${refsTo('node', [wish.node])}`);
  if (wish.role !== undefined) where.push(sql`nr.role_id = ${refsTo('role', [wish.role])}`);
  const own = await sql<{ id: number }>`
    select nr.id from noderole nr where ${sql.join(where, sql` and `)}
    order by nr.cohort, nr.id limit ${wish.limit + 1}`.execute(db);
  const ids = own.rows.slice(0, wish.limit).map((row) => row.id);
  const edges = await sql<{ parent: number; child: number; soft: boolean }>`
    select parent_id as parent, child_id as child, soft from edge where child_id = any(${ids}::bigint[])
    union select parent_id, child_id, soft from edge where parent_id = any(${ids}::bigint[]) and child_id = any(${ids}::bigint[])
    order by 1, 2`.execute(db);
  const known = new Set(ids);
  const all = [...new Set([...ids, ...edges.rows.map((edge) => edge.parent)])];
  const noderoles = await sql<GraphNoderole>`
    select nr.id, n.name as node, nr.node_id as "nodeId", r.name as role, nr.role_id as "roleId",
      nr.deployment_id as "deploymentId", nr.state, nr.cohort, nr.degraded_by is not null as degraded, nr.drifted,
      nr.blocked_by as "blockedBy", nr.reason, nr.deployment_id <> ${wish.deploymentId} as foreign
    from noderole nr join node n on n.id = nr.node_id join role r on r.id = nr.role_id
    where nr.id = any(${all}::bigint[]) order by nr.cohort, nr.id`.execute(db);
  const shown = new Set(noderoles.rows.map((row) => row.id));
  return {
    truncated: own.rows.length > wish.limit,
    noderoles: noderoles.rows,
    edges: edges.rows
      .filter((edge) => known.has(edge.child) && shown.has(edge.parent))
      .map(({ parent, child, soft }) => [parent, child, soft] as const),
  };
};
