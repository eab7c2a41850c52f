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

interface Counts {
  readonly name: string;
  readonly noderoles: StateCounts;
  /** Blocked by one that is named. */
  readonly held: number;
}

const readCounts = async (db: Db | Tx, deploymentId: number): Promise<Counts> => {
  const { rows } = await sql<Counts & { noderoles: Partial<StateCounts> }>`
    select d.name, c.noderoles, c.held from deployment d cross join lateral (
      select coalesce(jsonb_object_agg(state, count), '{}') as noderoles, coalesce(sum(held), 0)::int as held from (
        select state, count(*)::int as count, count(blocked_by)::int as held from noderole where deployment_id = ${deploymentId} group by 1) t) c
    where d.id = ${deploymentId}`.execute(db);
  const [row] = rows;
  if (row === undefined)
    throw new HostwrightError('not_found', { message: `there is no deployment ${deploymentId}` });
  const none = { proposed: 0, blocked: 0, todo: 0, transition: 0, active: 0, error: 0 };
  return { ...row, noderoles: { ...none, ...row.noderoles } };
};

interface Root {
  readonly id: number;
  /** Itself and those it blocks. */
  readonly count: number;
}

/** Where nothing has failed, each holds back itself: by id, and no further than the list is long. */
const readFirstOpen = async (db: Db | Tx, deploymentId: number): Promise<readonly Root[]> => {
  const { rows } = await sql<Root>`
    select id, 1 as count from noderole where deployment_id = ${deploymentId} and state in ('todo', 'transition')
    order by id limit ${LISTED}`.execute(db);
  return rows;
};

/**
 * A blocked noderole names the one at the root of its blockage: those are what must be cleared. The
 * state of a root comes with it; only one of another deployment is looked up, for a join would read
 * every noderole once more (100,000 of them: 1.9 s with the join).
 */
const readRoots = async (db: Db | Tx, deploymentId: number): Promise<readonly Root[]> => {
  const { rows } = await sql<Root>`
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
  const { name, noderoles, held } = await readCounts(db, deploymentId);
  const open = noderoles.blocked + noderoles.todo + noderoles.transition + noderoles.error;
  const nothingFailed = held === 0 && noderoles.error === 0;
  const read = nothingFailed ? readFirstOpen : readRoots;
  const roots = open === 0 ? [] : await read(db, deploymentId);
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
      ? `${name} is done: ${noderoles.active === 1 ? 'its one noderole is' : `${noderoles.active} noderoles are`} active`
      : (causes[0]?.sentence ?? `${open} noderoles of ${name} are not active yet`);
  return { sentence, done: open === 0, noderoles, causes };
};
