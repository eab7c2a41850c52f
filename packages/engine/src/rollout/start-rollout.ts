/** Called by a commit with a rolling limit or a canary, after its noderoles are written: holds them all, lets the first go. */
import { HostwrightError } from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
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

/** Somebody has looked at what failed and lets a halted rollout go on; it will not stop for the same failures again. */
export const resumeRollout = async (
  db: Db,
  options: { readonly snapshotId: number },
): Promise<void> => {
  await transaction(db, async (tx) => {
    const resumed = await resumeHalted(tx, sql`s.id = ${options.snapshotId}`);
    if (resumed === 0)
      throw new HostwrightError('conflict', { message: 'this commit is not halted' });
  });
};

/** The same for whatever commit of a deployment is halted; none is no error. */
export const resumeRolloutsOf = async (
  tx: Tx,
  options: { readonly deploymentId: number },
): Promise<number> => resumeHalted(tx, sql`s.deployment_id = ${options.deploymentId}`);

const resumeHalted = async (tx: Tx, which: RawBuilder<unknown>): Promise<number> => {
  const { rows } = await sql<{ id: number }>`
    update snapshot s set halted_at = null, halted_reason = null, canary_passed_at = coalesce(canary_passed_at, now()),
      stop_after_failures = stop_after_failures + (select count(*) from noderole w where w.snapshot_id = s.id and w.state = 'error')
    where ${which} and s.state = 'committed' and s.halted_at is not null returning s.id`.execute(
    tx,
  );
  if (rows.length === 0) return 0;
  const ids = rows.map((row) => row.id);
  await sql`
    update noderole set holds = array_remove(holds, 'halted')
    where snapshot_id = any(${ids}::bigint[]) and 'halted' = any(holds)`.execute(tx);
  await advanceRollouts(tx, ids);
  return rows.length;
};
