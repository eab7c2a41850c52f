/** Called by a commit with a rolling limit or a canary, after its noderoles are written: holds them all, lets the first go. */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { advanceRollouts } from './advance-rollouts.ts';

export const startRollout = async (
  tx: Tx,
  options: { readonly snapshotId: number },
): Promise<void> => {
  await sql`
    update noderole w set holds = array_append(w.holds, 'rolling') from snapshot s
    where s.id = ${options.snapshotId} and (s.rolling_limit is not null or s.canary is not null)
      and w.snapshot_id = s.id and w.state in ('todo', 'blocked') and not 'rolling' = any(w.holds)`.execute(
    tx,
  );
  await advanceRollouts(tx, [options.snapshotId]);
};

/**
 * Somebody has looked at what failed and lets a halted commit of a deployment go on; it will not stop
 * for the same failures again. None halted is no error.
 */
export const resumeRolloutsOf = async (
  tx: Tx,
  options: { readonly deploymentId: number },
): Promise<void> => {
  const { rows } = await sql<{ id: number }>`
    update snapshot s set halted_at = null, halted_reason = null, canary_passed_at = coalesce(canary_passed_at, now()),
      stop_after_failures = stop_after_failures + (select count(*) from noderole w where w.snapshot_id = s.id and w.state = 'error')
    where s.deployment_id = ${options.deploymentId} and s.state = 'committed' and s.halted_at is not null returning s.id`.execute(
    tx,
  );
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id);
  await sql`
    update noderole set holds = array_remove(holds, 'halted')
    where snapshot_id = any(${ids}::bigint[]) and 'halted' = any(holds)`.execute(tx);
  await advanceRollouts(tx, ids);
};
