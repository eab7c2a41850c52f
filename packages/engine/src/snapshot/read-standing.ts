/** The noderoles of a deployment as they are, with their parents, for the planner. */
import type { Standing } from '@hostwright/core';
import { sql } from 'kysely';
import { resolveInputs } from '../attribs/resolve-inputs.ts';
import type { Db, Tx } from '../db/open.ts';
import type { SnapshotRecord } from './read.ts';

const NONE: readonly number[] = [];

type Row = Omit<Standing, 'hard' | 'soft'> & {
  /** Inputs that unused leave is for; null: it is not about to run, or needs none. */
  readonly leaves: readonly string[] | null;
};

/** Leave for other inputs than those of the proposal is none: the claim would refuse it. */
const findWithoutLeave = async (
  db: Db | Tx,
  rows: readonly Row[],
  { deploymentId, revision }: SnapshotRecord,
): Promise<ReadonlySet<number>> => {
  const needing = rows.flatMap(({ id, leaves }) => (leaves === null ? [] : [{ id, leaves }]));
  const ids = needing.flatMap(({ id, leaves }) => (leaves.length === 0 ? [] : [id]));
  const inputs = await resolveInputs(db, ids, { proposed: { deploymentId, revision } });
  return new Set(
    needing
      .filter(({ id, leaves }) => !leaves.includes(inputs.get(id)?.inputHash ?? ''))
      .map(({ id }) => id),
  );
};

export const readStanding = async (db: Db | Tx, snapshot: SnapshotRecord): Promise<Standing[]> => {
  const { deploymentId } = snapshot;
  const { rows } = await sql<Row>`
    select w.id, w.role_id as "roleId", w.node_id as "nodeId", w.state, w.removing, w.run_count > 0 or w.failures > 0 as ran,
           r.destructive and not w.removing and (w.state = 'error' or w.state in ('todo', 'blocked') and 'consent' = any(w.holds)) as "awaitsConsent",
           case when r.destructive and not w.removing and w.state in ('todo', 'blocked')
             then array(select c.input_hash from consent c where c.noderole_id = w.id and c.used_by_run is null) end as leaves,
           nullif(w.data, '{}') as data, w.cohort
    from noderole w join role r on r.id = w.role_id
    where w.deployment_id = ${deploymentId} order by w.node_id, w.role_id`.execute(db);
  if (rows.length === 0) return [];
  const edges = await sql<{ parent: number; child: number; soft: boolean }>`
    select e.parent_id as parent, e.child_id as child, e.soft from edge e join noderole w on w.id = e.child_id
    where w.deployment_id = ${deploymentId} order by e.parent_id`.execute(db);
  const hard = new Map<number, number[]>();
  const soft = new Map<number, number[]>();
  for (const edge of edges.rows) {
    const of = edge.soft ? soft : hard;
    const list = of.get(edge.child);
    if (list === undefined) of.set(edge.child, [edge.parent]);
    else list.push(edge.parent);
  }
  const withoutLeave = await findWithoutLeave(db, rows, snapshot);
  return rows.map((row) => ({
    ...row,
    awaitsConsent: row.awaitsConsent || withoutLeave.has(row.id),
    hard: hard.get(row.id) ?? NONE,
    soft: soft.get(row.id) ?? NONE,
  }));
};

/** Who in other deployments hangs on noderoles of this one; at most six of each are named. */
export const readNeededBy = async (
  db: Db | Tx,
  deploymentId: number,
): Promise<Map<number, string[]>> => {
  const { rows } = await sql<{ id: number; names: string[] }>`
    select e.parent_id as id, (array_agg(r.name || '@' || n.name || ' in ' || d.name order by r.name, n.name))[1:6] as names
    from edge e join noderole p on p.id = e.parent_id join noderole c on c.id = e.child_id
    join role r on r.id = c.role_id join node n on n.id = c.node_id join deployment d on d.id = c.deployment_id
    where p.deployment_id = ${deploymentId} and c.deployment_id <> ${deploymentId} and not e.soft and not c.removing
    group by e.parent_id`.execute(db);
  return new Map(rows.map((row) => [row.id, row.names]));
};
