/** Claims while there is room, work and a lease. */
import { takePass } from '../annealer/annealer-mode.ts';
import { claimRuns } from '../run/claim-runs.ts';
import type { ClaimedRun } from '../run/claimed-run.ts';
import { BATCH, holdsLease, type WorkerContext } from './context.ts';

/** One that stops lets go of its lease: whatever it has just been given, others take over. */
export const launch = async (
  { state, live }: WorkerContext,
  runs: readonly ClaimedRun[],
): Promise<void> => {
  if (!state.stopped) await live.launch(runs);
};

/** One claim. Returns how many runs it got. */
export const claim = async (context: WorkerContext): Promise<number> => {
  const { state, live } = context;
  const limit = Math.min(BATCH, context.concurrency() - live.size);
  if (limit <= 0) return 0;
  state.mayBeMore = false;
  state.claiming = ++state.claims;
  try {
    const found = await claimRuns(context.hot.db, { workerId: state.workerId, limit });
    state.backlog = found.lanes === limit;
    if (state.backlog || found.runs.length < found.lanes) state.mayBeMore = true;
    await launch(context, found.runs);
    return found.runs.length;
  } finally {
    state.claiming = 0;
  }
};

const mayClaim = (context: WorkerContext): boolean =>
  context.state.mode === 'auto' &&
  !context.state.draining &&
  context.state.mayBeMore &&
  context.live.size < context.concurrency() &&
  holdsLease(context);

export const claimLoop = async (context: WorkerContext): Promise<void> => {
  const { state, db, log } = context;
  while (!state.stopped) {
    try {
      if (state.mode === 'manual' && !state.draining && (await takePass(db))) await claim(context);
      if (mayClaim(context)) {
        await claim(context);
        continue;
      }
    } catch (error) {
      log.warn({ err: error }, 'could not claim');
      state.mayBeMore = true;
    }
    await context.wakes.claim.wait(context.tickMs);
  }
};
