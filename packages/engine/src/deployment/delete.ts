/** Deletes a deployment that nothing needs; while something does, every reason is told at once. */
import { HostwrightError, type Refusal } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import { readDeployment, type DeploymentRecord } from './create.ts';
import { lockTree } from './lock-tree.ts';

const reasons = async (tx: Tx, deployment: DeploymentRecord): Promise<Refusal[]> => {
  if (deployment.system)
    return [{ code: 'system', path: 'deployment', message: 'the system deployment always stays' }];
  const { rows } = await sql<{ code: string; names: string[]; count: number }>`
    select 'children' as code, (array_agg(name order by name))[1:5] as names, count(*)::int as count
      from deployment where parent_id = ${deployment.id} having count(*) > 0
    union all
    select 'nodes', (array_agg(name order by name))[1:5], count(*)::int
      from node where deployment_id = ${deployment.id} and deleted_at is null having count(*) > 0
    union all
    select 'noderoles', (array_agg(r.name || '@' || n.name order by r.name, n.name))[1:5], count(*)::int
      from noderole w join role r on r.id = w.role_id join node n on n.id = w.node_id
      where w.deployment_id = ${deployment.id} having count(*) > 0`.execute(tx);
  const words = {
    children: 'has deployments below it',
    nodes: 'has nodes',
    noderoles: 'has noderoles (unbind them and commit first)',
  } as const;
  return rows.map(({ code, names, count }) => ({
    code,
    path: 'deployment',
    message: `${deployment.name} ${words[code as keyof typeof words]}: ${names.join(', ')}${count > names.length ? ` and ${count - names.length} more` : ''}`,
  }));
};

export const deleteDeployment = async (
  db: Db,
  options: {
    readonly deploymentId: number;
    /** The revision the caller has read; refused if it has moved. */
    readonly revision?: number | undefined;
    readonly actor: string;
  },
): Promise<void> =>
  transaction(db, async (tx) => {
    await lockTree(tx, 'alone');
    await sql`select id from deployment where id = ${options.deploymentId} for update`.execute(tx);
    const deployment = await readDeployment(tx, options.deploymentId);
    if (options.revision !== undefined && options.revision !== deployment.revision)
      throw new HostwrightError('precondition_failed', {
        public: { revision: deployment.revision },
      });
    const refusals = await reasons(tx, deployment);
    if (refusals.length > 0)
      throw new HostwrightError('in_use', {
        message: refusals.map((refusal) => refusal.message).join('; '),
        refusals,
      });
    // tombstones of nodes may still name it as their home
    await sql`update node set deployment_id = ${deployment.parentId} where deployment_id = ${deployment.id}`.execute(
      tx,
    );
    await tx.deleteFrom('deployment').where('id', '=', deployment.id).execute();
    await emit(tx, {
      kind: 'deployment.deleted',
      deploymentId: deployment.id,
      payload: { name: deployment.name, actor: options.actor },
    });
  });
