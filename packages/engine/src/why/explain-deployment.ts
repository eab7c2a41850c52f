/** What keeps a deployment from being done: the causes, the one that holds back most first. */
import { sql } from 'kysely';
import type { Why } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import { readDeploymentView, type StateCounts } from '../deployment/list-deployments.ts';
import { explainNoderoles } from './explain.ts';

export interface DeploymentWhy {
  readonly sentence: string;
  readonly done: boolean;
  readonly noderoles: StateCounts;
  readonly causes: readonly (Why & { readonly holdsBack: number })[];
}

const LISTED = 20;

export const explainDeployment = async (
  db: Db | Tx,
  deploymentId: number,
): Promise<DeploymentWhy> => {
  const { name, noderoles } = await readDeploymentView(db, deploymentId);
  // a blocked noderole names the one at the root of its blockage: those are what must be cleared
  const { rows } = await sql<{ id: number; count: number }>`
    with root as (
      select coalesce(nr.blocked_by, nr.id) as id, count(*)::int as count
      from noderole nr where nr.deployment_id = ${deploymentId} and (nr.state in ('error', 'todo', 'transition') or nr.blocked_by is not null)
      group by 1
    )
    select root.id, root.count from root join noderole nr on nr.id = root.id
    order by nr.state <> 'error', root.count desc, nr.id limit ${LISTED}`.execute(db);
  const whys = await explainNoderoles(
    db,
    rows.map((row) => row.id),
  );
  const causes = rows.flatMap((row) => {
    const why = whys.get(row.id);
    return why === undefined ? [] : [{ ...why, holdsBack: row.count }];
  });
  const open = noderoles.blocked + noderoles.todo + noderoles.transition + noderoles.error;
  const sentence =
    open === 0
      ? `${name} is done: ${noderoles.active} noderoles are active`
      : (causes[0]?.sentence ?? `${open} noderoles of ${name} are not active yet`);
  return { sentence, done: open === 0, noderoles, causes };
};
