import type { Tx } from '../db/open.ts';

/** Replaced below by the real thing in the next commit. */
export const advanceRollouts = async (
  _tx: Tx,
  _snapshotIds: readonly number[],
): Promise<void> => {};
