/** The tree of deployments for the API, parents first, with counts. */
import { HostwrightError } from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import { whereIdOrName } from '../db/id-or-name.ts';
import type { Db, Tx } from '../db/open.ts';

export interface StateCounts {
  readonly proposed: number;
  readonly blocked: number;
  readonly todo: number;
  readonly transition: number;
  readonly active: number;
  readonly error: number;
}

export interface DeploymentView {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly parentId: number | null;
  readonly depth: number;
  readonly system: boolean;
  readonly paused: boolean;
  readonly nodes: number;
  readonly noderoles: StateCounts;
  readonly proposedSnapshotId: number | null;
  readonly committedSnapshotId: number | null;
  readonly committedRevision: number | null;
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const read = async (db: Db | Tx, where: RawBuilder<unknown>): Promise<DeploymentView[]> => {
  const { rows } = await sql<DeploymentView>`
    with recursive tree as (
      select id, 0 as depth, array[name] as path from deployment where parent_id is null
      union all
      select d.id, t.depth + 1, t.path || d.name from deployment d join tree t on d.parent_id = t.id
    ), chosen as materialized (
      select d.*, t.depth, t.path from deployment d join tree t using (id) where ${where}
    ), tally as (
      -- both columns are in one index, which this then reads alone
      select nr.deployment_id, nr.state, count(*)::int as count from noderole nr
      where nr.deployment_id = any(array(select id from chosen)) group by 1, 2
    ), counts as (
      select deployment_id, jsonb_object_agg(state, count) as counts from tally group by 1
    )
    select c.id, c.name, c.description, c.parent_id as "parentId", c.depth, c.system, c.paused,
      (select count(*)::int from node n where n.deployment_id = c.id and n.deleted_at is null) as nodes,
      '{"proposed":0,"blocked":0,"todo":0,"transition":0,"active":0,"error":0}'::jsonb || coalesce(k.counts, '{}') as noderoles,
      p.id as "proposedSnapshotId", s.id as "committedSnapshotId", s.revision as "committedRevision",
      c.revision, c.created_at as "createdAt", c.updated_at as "updatedAt"
    from chosen c
    left join counts k on k.deployment_id = c.id
    left join snapshot p on p.deployment_id = c.id and p.state = 'proposed'
    left join snapshot s on s.deployment_id = c.id and s.state = 'committed'
    order by c.path`.execute(db);
  return rows;
};

export const listDeployments = async (
  db: Db | Tx,
  filter: { readonly q?: string | undefined; readonly under?: number | undefined } = {},
): Promise<DeploymentView[]> => {
  const where: RawBuilder<unknown>[] = [sql`true`];
  if (filter.q !== undefined) where.push(sql`position(${filter.q} in d.name) > 0`);
  if (filter.under !== undefined)
    where.push(sql`d.id in (
      with recursive below as (
        select id from deployment where id = ${filter.under}
        union all select x.id from deployment x join below b on x.parent_id = b.id
      ) select id from below)`);
  return read(db, sql.join(where, sql` and `));
};

/** By name or id. */
export const readDeploymentView = async (
  db: Db | Tx,
  ref: string | number,
): Promise<DeploymentView> => {
  const text = String(ref);
  const found = await read(db, whereIdOrName('d', text));
  if (found[0] === undefined)
    throw new HostwrightError('not_found', {
      message: `there is no deployment ${text.slice(0, 255)}`,
      public: { kind: 'deployment', name: text.slice(0, 255) },
    });
  return found[0];
};

/** The id behind a name or id, cheaply. */
export const needDeploymentId = async (db: Db | Tx, ref: string | number): Promise<number> => {
  const text = String(ref);
  const { rows } = await sql<{ id: number }>`select id from deployment
    where ${whereIdOrName('deployment', text)}`.execute(db);
  if (rows[0] === undefined)
    throw new HostwrightError('not_found', {
      message: `there is no deployment ${text.slice(0, 255)}`,
      public: { kind: 'deployment', name: text.slice(0, 255) },
    });
  return rows[0].id;
};

/** Only what a tree is drawn from: no counts, a read of one small table. */
export const listDeploymentTree = async (
  db: Db | Tx,
): Promise<{ id: number; name: string; parentId: number | null }[]> =>
  db
    .selectFrom('deployment')
    .select(['id', 'name', 'parent_id as parentId'])
    .orderBy('id')
    .execute();
