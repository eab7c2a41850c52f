/** Nodes x roles of a deployment: every noderole, and what a proposal would add, as rows for columns. */
import type { NoderoleState } from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export interface MatrixCell {
  readonly id: number;
  readonly nodeId: number;
  readonly roleId: number;
  readonly state: NoderoleState;
  readonly bits: number;
  readonly cohort: number;
}

export interface Matrix {
  readonly nodes: readonly {
    id: number;
    name: string;
    alive: boolean;
    available: boolean;
    admin: boolean;
  }[];
  readonly roles: readonly {
    id: number;
    name: string;
    milestone: boolean;
    cohort: number;
    inDeployment: boolean;
  }[];
  readonly cells: readonly MatrixCell[];
}

export interface MatrixWish {
  readonly deploymentId: number;
  /** Deployments below it too. */
  readonly under?: boolean | undefined;
  /** A proposed snapshot: bindings without a noderole appear as proposed cells with id 0. */
  readonly snapshotId?: number | undefined;
}

const scopeOf = (wish: MatrixWish): RawBuilder<unknown> =>
  wish.under === true
    ? sql`(with recursive below as (select ${wish.deploymentId}::bigint as id
        union all select d.id from deployment d join below b on d.parent_id = b.id) select id from below)`
    : sql`(select ${wish.deploymentId}::bigint)`;

export const readMatrix = async (db: Db | Tx, wish: MatrixWish): Promise<Matrix> => {
  const scope = scopeOf(wish);
  const work = await sql<MatrixCell>`
    select nr.id, nr.node_id as "nodeId", nr.role_id as "roleId", nr.state, nr.cohort,
      (nr.degraded_by is not null)::int + nr.drifted::int * 2 + (nr.holds <> '{}')::int * 4 + nr.removing::int * 8
        + (nr.run_id is not null)::int * 16 as bits
    from noderole nr where nr.deployment_id in ${scope}`.execute(db);
  const proposed =
    wish.snapshotId === undefined
      ? []
      : (
          await sql<MatrixCell>`
            select 0 as id, b.node_id as "nodeId", b.role_id as "roleId", 'proposed' as state, 0 as bits, 0 as cohort
            from snapshot s join binding b on b.deployment_id = s.deployment_id and b.added_revision <= s.revision
              and (b.removed_revision is null or b.removed_revision > s.revision)
            where s.id = ${wish.snapshotId}
              and not exists (select 1 from noderole nr where nr.node_id = b.node_id and nr.role_id = b.role_id)`.execute(
            db,
          )
        ).rows;
  const cells = [...work.rows, ...proposed];
  const nodeIds = [...new Set(cells.map((cell) => cell.nodeId))];
  const roleIds = [...new Set(cells.map((cell) => cell.roleId))];
  const nodes = await sql<Matrix['nodes'][number]>`
    select id, name, alive, available, admin from node
    where id = any(${nodeIds}::bigint[]) or (deployment_id in ${scope} and deleted_at is null) order by name`.execute(
    db,
  );
  const cohorts = new Map<number, number>();
  for (const cell of cells)
    cohorts.set(cell.roleId, Math.max(cohorts.get(cell.roleId) ?? 0, cell.cohort));
  const found = await sql<Omit<Matrix['roles'][number], 'cohort'>>`
    select r.id, r.name, r.milestone, t.id is not null as "inDeployment"
    from role r
    left join deployment_role t on t.role_id = r.id and t.deployment_id = ${wish.deploymentId} and t.removed_revision is null
    where r.id = any(${roleIds}::bigint[]) or t.id is not null order by r.name`.execute(db);
  const roles = found.rows
    .map((role) => ({ ...role, cohort: cohorts.get(role.id) ?? 0 }))
    .toSorted((one, other) => one.cohort - other.cohort);
  return { nodes: nodes.rows, roles, cells };
};
