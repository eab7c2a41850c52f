/** What the end of a batch of runs means for others, gathered while it is decided and done at its end. */
import type { Tx } from '../db/open.ts';
import { advanceRemovals } from '../noderole/advance-removals.ts';
import { markDescendants, markFromParents } from '../noderole/mark-descendants.ts';
import { reconsiderConsumers } from '../noderole/reconsider-consumers.ts';
import { advanceRollouts } from '../rollout/advance-rollouts.ts';
import { holdHalted } from '../rollout/hold-halted.ts';
import type { Ending } from './decide-ending.ts';
import type { EndingNoderole } from './lock-ending.ts';
import type { NoderoleChange } from './write-ending.ts';

export interface Touched {
  readonly failed: number[];
  /** To run again by itself. */
  readonly requeued: number[];
  readonly underFailed: number[];
  readonly newOutput: number[];
  readonly removal: number[];
  readonly gone: number[];
  readonly snapshots: Set<number>;
}

export const noteEnding = (
  touched: Touched,
  row: EndingNoderole,
  change: NoderoleChange,
  ending: Ending,
): void => {
  if (change.state === 'error') touched.failed.push(row.id);
  if (change.state === 'todo' || change.state === 'blocked') touched.requeued.push(row.id);
  if (change.state === 'active') {
    if (change.pending > 0) touched.underFailed.push(row.id);
  }
  if (change.outputHash !== row.output_hash) touched.newOutput.push(row.id);
  if (row.snapshot_id !== null) touched.snapshots.add(row.snapshot_id);
  if (ending.to === 'removed') touched.gone.push(row.id);
  else if (row.removing) touched.removal.push(row.id);
};

export const nothingTouched = (): Touched => ({
  failed: [],
  requeued: [],
  underFailed: [],
  newOutput: [],
  removal: [],
  gone: [],
  snapshots: new Set(),
});

/** What the endings mean for others; each step only when there is something to spread. */
export const spreadEndings = async (tx: Tx, touched: Touched): Promise<void> => {
  if (touched.failed.length > 0) await markDescendants(tx, touched.failed);
  if (touched.underFailed.length > 0) await markFromParents(tx, touched.underFailed);
  if (touched.newOutput.length > 0) await reconsiderConsumers(tx, touched.newOutput);
  if (touched.gone.length > 0 || touched.removal.length > 0)
    await advanceRemovals(tx, { gone: touched.gone });
  if (touched.snapshots.size > 0) await advanceRollouts(tx, [...touched.snapshots]);
  // last: whoever halts the commit meanwhile has done so by now, or sees these as they are
  if (touched.requeued.length > 0) await holdHalted(tx, touched.requeued);
};
