/** Rows of a proposal's bindings, many at once. */
import type { JsonObject, Origin } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

export interface NewBinding {
  readonly roleId: number;
  readonly nodeId: number;
  readonly origin: Origin;
  readonly reason: string;
  readonly data: JsonObject | null;
}

interface At {
  readonly deploymentId: number;
  readonly revision: number;
}

export const insertBindings = async (
  tx: Tx,
  at: At,
  rows: readonly NewBinding[],
): Promise<void> => {
  if (rows.length === 0) return;
  await sql`
    insert into binding (deployment_id, added_revision, role_id, node_id, origin, reason, data)
    select ${at.deploymentId}::bigint, ${at.revision}::int, b.role_id, b.node_id, b.origin, b.reason, coalesce(b.data, '{}')::jsonb
    from unnest(${rows.map((row) => row.roleId)}::bigint[], ${rows.map((row) => row.nodeId)}::bigint[],
      ${rows.map((row) => row.origin)}::text[], ${rows.map((row) => row.reason)}::text[],
      ${rows.map((row) => (row.data === null ? null : JSON.stringify(row.data)))}::text[])
      as b(role_id, node_id, origin, reason, data)`.execute(tx);
};

/** What this proposal itself added goes; what stood before is closed, so that history keeps it. */
export const removeBindings = async (
  tx: Tx,
  at: At,
  keys: readonly { readonly roleId: number; readonly nodeId: number }[],
): Promise<void> => {
  if (keys.length === 0) return;
  const these = sql`
    b.deployment_id = ${at.deploymentId} and b.removed_revision is null and b.role_id = k.role_id and b.node_id = k.node_id`;
  const list = sql`unnest(${keys.map((key) => key.roleId)}::bigint[], ${keys.map((key) => key.nodeId)}::bigint[]) as k(role_id, node_id)`;
  await sql`delete from binding b using ${list} where ${these} and b.added_revision = ${at.revision}`.execute(
    tx,
  );
  await sql`update binding b set removed_revision = ${at.revision} from ${list} where ${these}`.execute(
    tx,
  );
};

/** The roles of new bindings are roles of the deployment too. */
export const ensureDeploymentRoles = async (
  tx: Tx,
  at: At,
  roleIds: Iterable<number>,
): Promise<void> => {
  await sql`
    insert into deployment_role (deployment_id, role_id, added_revision)
    select ${at.deploymentId}::bigint, r.id, ${at.revision}::int from unnest(${[...new Set(roleIds)]}::bigint[]) as r(id)
    where not exists (select from deployment_role d where d.deployment_id = ${at.deploymentId} and d.role_id = r.id and d.removed_revision is null)`.execute(
    tx,
  );
};
