/** Nothing new starts in a paused deployment or below it; what runs goes on. */
import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import { advanceRemovals } from '../noderole/advance-removals.ts';
import { resumeRolloutsOf } from '../rollout/start-rollout.ts';
import { releaseHolds } from './release-holds.ts';

interface Pause {
  readonly deploymentId: number;
  readonly actor: string;
}

const setPaused = async (
  tx: Tx,
  { deploymentId, actor }: Pause,
  paused: boolean,
): Promise<void> => {
  const { rows } = await sql`
    update deployment set paused = ${paused}, revision = revision + 1, updated_at = now() where id = ${deploymentId} returning id`.execute(
    tx,
  );
  if (rows.length === 0)
    throw new HostwrightError('not_found', { message: `there is no deployment ${deploymentId}` });
  await emit(tx, {
    kind: paused ? 'deployment.paused' : 'deployment.resumed',
    deploymentId,
    payload: { actor },
  });
};

export const pauseDeployment = async (db: Db, pause: Pause): Promise<void> => {
  await transaction(db, async (tx) => {
    await setPaused(tx, pause, true);
    await sql`
      with recursive below as (
        select ${pause.deploymentId}::bigint as id union select d.id from deployment d join below b on d.parent_id = b.id
      ), waiting as (
        select w.id from noderole w join below b on b.id = w.deployment_id
        where w.state = 'todo' and not 'paused' = any(w.holds) order by w.id for update of w
      )
      update noderole w set holds = array_append(w.holds, 'paused') from waiting where w.id = waiting.id`.execute(
      tx,
    );
  });
};

/** Goes on, also with a commit that was halted. */
export const resumeDeployment = async (db: Db, pause: Pause): Promise<void> => {
  await transaction(db, async (tx) => {
    await setPaused(tx, pause, false);
    await resumeRolloutsOf(tx, { deploymentId: pause.deploymentId });
    await releaseHolds(tx);
    await advanceRemovals(tx);
  });
};
