/** What a snapshot holds, whatever its state: the rows of its revision. */
import type { JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { readSnapshot } from './read.ts';

export interface SnapshotContent {
  readonly data: JsonObject;
  readonly roles: readonly {
    readonly roleId: number;
    readonly role: string;
    readonly data: JsonObject;
  }[];
  readonly bindings: readonly {
    readonly roleId: number;
    readonly role: string;
    readonly nodeId: number;
    readonly node: string;
    readonly origin: 'operator' | 'required';
    readonly reason: string;
    readonly data: JsonObject;
  }[];
}

export const readSnapshotContent = async (
  db: Db | Tx,
  snapshotId: number,
): Promise<SnapshotContent> => {
  const { deploymentId, revision } = await readSnapshot(db, snapshotId);
  const here = sql`t.deployment_id = ${deploymentId} and t.added_revision <= ${revision}
    and (t.removed_revision is null or t.removed_revision > ${revision})`;
  const data = await sql<{
    data: JsonObject;
  }>`select t.data from deployment_data t where ${here}`.execute(db);
  const roles = await sql<SnapshotContent['roles'][number]>`
    select r.id as "roleId", r.name as role, t.data from deployment_role t join role r on r.id = t.role_id
    where ${here} order by r.name`.execute(db);
  const bindings = await sql<SnapshotContent['bindings'][number]>`
    select r.id as "roleId", r.name as role, n.id as "nodeId", n.name as node, t.origin, t.reason, t.data
    from binding t join role r on r.id = t.role_id join node n on n.id = t.node_id
    where ${here} order by r.name, n.name`.execute(db);
  return { data: data.rows[0]?.data ?? {}, roles: roles.rows, bindings: bindings.rows };
};
