/** How far a commit has come: its noderoles by state and cohort. */
import { AT_REST, NODEROLE_STATES, type NoderoleState } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { readSnapshot } from './read.ts';

export interface Progress {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly states: Readonly<Record<NoderoleState, number>>;
  readonly byCohort: readonly { cohort: number; total: number; done: number; failed: number }[];
  readonly finished: boolean;
  readonly haltedReason: string | null;
}

/**
 * Counts every noderole of the deployment that this or an earlier commit gave work, because a
 * commit is done when the deployment is. `blocked` behind an error is at rest too: nothing more
 * happens by itself. What is to go counts as done only by being gone.
 */
export const readProgress = async (db: Db | Tx, snapshotId: number): Promise<Progress> => {
  const snapshot = await readSnapshot(db, snapshotId);
  const { rows } = await sql<{
    cohort: number;
    state: NoderoleState;
    stuck: boolean;
    removing: boolean;
    count: number;
  }>`
    select nr.cohort, nr.state, coalesce(b.state = 'error', false) as stuck, nr.removing, count(*)::int as count
    from noderole nr left join noderole b on b.id = nr.blocked_by
    where nr.deployment_id = ${snapshot.deploymentId}
    group by 1, 2, 3, 4 order by 1`.execute(db);
  const states = Object.fromEntries(NODEROLE_STATES.map((state) => [state, 0])) as Record<
    NoderoleState,
    number
  >;
  const cohorts = new Map<
    number,
    { cohort: number; total: number; done: number; failed: number }
  >();
  let moving = 0;
  let done = 0;
  for (const row of rows) {
    states[row.state] += row.count;
    const rest: readonly string[] = AT_REST;
    const leaving = row.removing && row.state !== 'error';
    const stuck = row.state === 'blocked' && row.stuck;
    if (leaving || (!rest.includes(row.state) && !stuck)) moving += row.count;
    const active = row.state === 'active' && !row.removing ? row.count : 0;
    done += active;
    const cohort = cohorts.get(row.cohort) ?? { cohort: row.cohort, total: 0, done: 0, failed: 0 };
    cohorts.set(row.cohort, {
      cohort: row.cohort,
      total: cohort.total + row.count,
      done: cohort.done + active,
      failed: cohort.failed + (row.state === 'error' ? row.count : 0),
    });
  }
  const total = rows.reduce((sum, row) => sum + row.count, 0);
  return {
    total,
    done,
    failed: states.error,
    states,
    byCohort: [...cohorts.values()],
    finished: moving === 0 || snapshot.haltedAt !== null,
    haltedReason: snapshot.haltedReason,
  };
};
