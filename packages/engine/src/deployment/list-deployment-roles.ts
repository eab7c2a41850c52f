import type { JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export interface DeploymentRoleView {
  readonly roleId: number;
  readonly role: string;
  readonly milestone: boolean;
  readonly data: JsonObject;
  readonly bindings: number;
}

/** As of a revision; without one, of the newest, which may be a proposal. */
export const listDeploymentRoles = async (
  db: Db | Tx,
  wish: { readonly deploymentId: number; readonly revision?: number | undefined },
): Promise<{ readonly revision: number | null; readonly items: readonly DeploymentRoleView[] }> => {
  const newest = await sql<{ revision: number | null }>`
    select max(revision) as revision from snapshot where deployment_id = ${wish.deploymentId}`.execute(
    db,
  );
  const revision = wish.revision ?? newest.rows[0]?.revision ?? null;
  const at = revision ?? 0;
  const { rows } = await sql<DeploymentRoleView>`
    select r.id as "roleId", r.name as role, r.milestone, t.data,
      (select count(*)::int from binding b where b.deployment_id = t.deployment_id and b.role_id = r.id
        and b.added_revision <= ${at} and (b.removed_revision is null or b.removed_revision > ${at})) as bindings
    from deployment_role t join role r on r.id = t.role_id
    where t.deployment_id = ${wish.deploymentId} and t.added_revision <= ${at}
      and (t.removed_revision is null or t.removed_revision > ${at})
    order by r.milestone desc, r.name`.execute(db);
  return { revision, items: rows };
};
