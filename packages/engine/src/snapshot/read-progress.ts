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
 * happens by itself.
 */
export const readProgress = async (db: Db | Tx, snapshotId: number): Promise<Progress> => {
  const snapshot = await readSnapshot(db, snapshotId);
  const { rows } = await sql<{
    cohort: number;
    state: NoderoleState;
    stuck: boolean;
    count: number;
  }>`
    select nr.cohort, nr.state, coalesce(b.state = 'error', false) as stuck, count(*)::int as count
    from noderole nr left join noderole b on b.id = nr.blocked_by
    where nr.deployment_id = ${snapshot.deploymentId}
    group by 1, 2, 3 order by 1`.execute(db);
  const states = Object.fromEntries(NODEROLE_STATES.map((state) => [state, 0])) as Record<
    NoderoleState,
    number
  >;
  const cohorts = new Map<
    number,
    { cohort: number; total: number; done: number; failed: number }
  >();
  let moving = 0;
  for (const row of rows) {
    states[row.state] += row.count;
    const rest: readonly string[] = AT_REST;
    if (!rest.includes(row.state) && !(row.state === 'blocked' && row.stuck)) moving += row.count;
    const cohort = cohorts.get(row.cohort) ?? { cohort: row.cohort, total: 0, done: 0, failed: 0 };
    cohorts.set(row.cohort, {
      cohort: row.cohort,
      total: cohort.total + row.count,
      done: cohort.done + (row.state === 'active' ? row.count : 0),
      failed: cohort.failed + (row.state === 'error' ? row.count : 0),
    });
  }
  const total = rows.reduce((sum, row) => sum + row.count, 0);
  return {
    total,
    done: states.active,
    failed: states.error,
    states,
    byCohort: [...cohorts.values()],
    finished: moving === 0 || snapshot.haltedAt !== null,
    haltedReason: snapshot.haltedReason,
  };
};
