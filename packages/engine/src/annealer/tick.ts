/**
 * One look at everything that no notification tells of. Takes over what dead workers left, ends what
 * is overdue, lets go what has waited long enough; now and then puts all counters right.
 */
import type { Db } from '../db/open.ts';
import type { ClaimedRun } from '../run/claimed-run.ts';
import { endOverdue } from '../run/end-overdue.ts';
import { takeOver } from '../run/take-over.ts';
import { putRight } from './put-right.ts';
import { releaseBackoff } from './release-holds.ts';

export interface TickOptions {
  readonly workerId: number;
  /** Jigs that can pick a run up where another worker left it. */
  readonly recoverable: readonly string[];
  /** Runs that this worker has by name but does not hold. */
  readonly lost?: readonly number[];
  /** Also the checks that read all that is unsettled. */
  readonly thorough: boolean;
}

export const tick = async (db: Db, options: TickOptions): Promise<readonly ClaimedRun[]> => {
  const taken = await takeOver(db, options);
  try {
    await endOverdue(db);
    await releaseBackoff(db);
    if (options.thorough) await putRight(db);
  } catch (error) {
    // what was taken over is this worker's now and must get to it; the next tick meets the error again
    if (taken.length === 0) throw error;
  }
  return taken;
};
