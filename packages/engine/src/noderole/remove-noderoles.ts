/**
 * Takes noderoles away because a commit unbound them. What never started goes at once; what runs is
 * stopped first; what has run is torn down, children first, within its role's deadline. `abandon`
 * is for machines that will not answer again: everything goes now, and a live run is fenced.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { completeRuns } from '../run/complete-runs.ts';
import { stopRuns } from '../run/stop-runs.ts';
import { tellWorkers } from '../run/tell-workers.ts';
import { advanceRemovals } from './advance-removals.ts';
import { dropNoderoles } from './drop-noderoles.ts';
import { nodesOf } from './nodes-of.ts';

export interface Removal {
  readonly noderoleIds: readonly number[];
  readonly actor?: string;
  readonly abandon?: boolean;
}

/** Runs before noderoles, as everywhere; then again those that a claim made before it let go of the noderoles. */
const lockLive = async (
  tx: Tx,
  ids: readonly number[],
): Promise<readonly { readonly id: number; readonly token: number }[]> => {
  const live = sql<{ id: number; token: number }>`
    select id, token from run where noderole_id = any(${[...ids]}::bigint[]) and node_id = any(array(${nodesOf(ids)})) and status in ('running', 'waiting', 'cancelling') order by id for update`;
  await live.execute(tx);
  await sql`select from noderole where id = any(${[...ids]}::bigint[]) order by id for update`.execute(
    tx,
  );
  return (await live.execute(tx)).rows;
};

export const removeNoderoles = async (tx: Tx, removal: Removal): Promise<void> => {
  const ids = [...removal.noderoleIds];
  if (ids.length === 0) return;
  const live = await lockLive(tx, ids);
  const why = `unbound${removal.actor === undefined ? '' : ` by ${removal.actor}`}`;
  if (removal.abandon === true) {
    await completeRuns(
      tx,
      live.map((run) => ({
        runId: run.id,
        token: run.token,
        outcome: {
          kind: 'failed',
          reason: `${why}, abandoned`,
          retryable: false,
          blame: 'operator',
        },
      })),
    );
    await tellWorkers(
      tx,
      live.map((run) => run.id),
    );
    await dropNoderoles(tx, ids);
    return;
  }
  await sql`
    update noderole set removing = true, revision = revision + 1,
      state = case when state = 'blocked' then 'todo' else state end,
      holds = array_append(array_remove(holds, 'removing'), 'removing')
    where id = any(${ids}::bigint[]) and not removing`.execute(tx);
  await sql`
    update run set status = 'cancelled', ended_at = now(), error = ${why}
    where noderole_id = any(${ids}::bigint[]) and status = 'queued' and kind <> 'teardown'`.execute(
    tx,
  );
  await stopRuns(tx, { runIds: live.map((run) => run.id), why });
  await advanceRemovals(tx);
};
