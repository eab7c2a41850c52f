/** One look at everything that no notification tells of. Each step stands alone: one that fails does not stop the next. */
import type { Db } from '../db/open.ts';
import type { ClaimedRun } from '../run/claimed-run.ts';

export interface TickOptions {
  readonly workerId: number;
  readonly recoverable: readonly string[];
}

export const tick = async (_db: Db, _options: TickOptions): Promise<readonly ClaimedRun[]> => [];
