/** What keeps a deployment from being done: the causes, the one that holds back most first. */
import { sql } from 'kysely';
import { HostwrightError, type Why } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import type { StateCounts } from '../deployment/list-deployments.ts';
import { explainNoderoles } from './explain.ts';

export interface DeploymentWhy {
  readonly sentence: string;
  readonly done: boolean;
  readonly noderoles: StateCounts;
  readonly causes: readonly (Why & { readonly holdsBack: number })[];
}

const LISTED = 20;

const readCounts = async (
  db: Db | Tx,
  deploymentId: number,
): Promise<{ readonly name: string; readonly noderoles: StateCounts }> => {
  const { rows } = await sql<{ name: string; noderoles: Partial<StateCounts> }>`
    select d.name, coalesce((
      select jsonb_object_agg(state, count) from (
        select state, count(*)::int as count from noderole where deployment_id = d.id group by 1) t), '{}') as noderoles
    from deployment d where d.id = ${deploymentId}`.execute(db);
  const [row] = rows;
  if (row === undefined)
    throw new HostwrightError('not_found', { message: `there is no deployment ${deploymentId}` });
  const none = { proposed: 0, blocked: 0, todo: 0, transition: 0, active: 0, error: 0 };
  return { name: row.name, noderoles: { ...none, ...row.noderoles } };
};

/**
 * A blocked noderole names the one at the root of its blockage: those are what must be cleared. The
 * state of a root comes with it; only one of another deployment is looked up, for a join would read
 * every noderole once more (100,000 of them: 1.9 s with the join).
 */
const readRoots = async (
  db: Db | Tx,
  deploymentId: number,
): Promise<readonly { readonly id: number; readonly count: number }[]> => {
  const { rows } = await sql<{ id: number; count: number }>`
    with root as materialized (
      select coalesce(blocked_by, id) as id, count(*)::int as count, max(state) filter (where blocked_by is null) as state
      from noderole where deployment_id = ${deploymentId} and (state in ('error', 'todo', 'transition') or blocked_by is not null)
      group by 1
    )
    select r.id, r.count from root r
    order by coalesce(r.state, (select x.state from noderole x where x.id = r.id)) <> 'error', r.count desc, r.id
    limit ${LISTED}`.execute(db);
  return rows;
};

export const explainDeployment = async (
  db: Db | Tx,
  deploymentId: number,
): Promise<DeploymentWhy> => {
  const { name, noderoles } = await readCounts(db, deploymentId);
  const open = noderoles.blocked + noderoles.todo + noderoles.transition + noderoles.error;
  const roots = open === 0 ? [] : await readRoots(db, deploymentId);
  const whys = await explainNoderoles(
    db,
    roots.map((root) => root.id),
  );
  const causes = roots.flatMap(({ id, count }) => {
    const why = whys.get(id);
    return why === undefined ? [] : [{ ...why, holdsBack: count }];
  });
  const sentence =
    open === 0
      ? `${name} is done: ${noderoles.active} noderoles are active`
      : (causes[0]?.sentence ?? `${open} noderoles of ${name} are not active yet`);
  return { sentence, done: open === 0, noderoles, causes };
};
