/** Looks at the state even if nobody says that it changed, and takes up what waits for a worker. */
import { readAnnealer } from '../annealer/annealer-mode.ts';
import { tick } from '../annealer/tick.ts';
import { resumeRuns } from '../run/resume-runs.ts';
import { takeCancels } from '../run/take-cancels.ts';
import { launch } from './claim-loop.ts';
import { BATCH, holdsLease, workMayBeThere, type WorkerContext } from './context.ts';

/**
 * So many ticks apart also what reads all that is unsettled, which at 100,000 takes a second. With a
 * crowd at the door half as often: there it would take a core from it, and what is wrong can wait.
 */
const THOROUGH_EVERY = 10;

const isThorough = ({ state }: WorkerContext): boolean => {
  const latest = state.putRightAt + (state.backlog ? THOROUGH_EVERY : 0);
  if (state.ticks < latest) return false;
  state.putRightAt = state.ticks + THOROUGH_EVERY;
  return true;
};

const tickOnce = async (context: WorkerContext): Promise<void> => {
  const { state, db, finished } = context;
  state.mode = await readAnnealer(db);
  const lost = await context.live.compare({
    workerId: state.workerId,
    claiming: () => state.claiming,
    reporting: () => [...finished, ...state.reporting].map((report) => report.runId),
  });
  await launch(
    context,
    await tick(db, {
      workerId: state.workerId,
      recoverable: context.recoverable,
      lost,
      thorough: isThorough(context),
    }),
  );
  state.ticks++;
  workMayBeThere(context);
};

const takeUp = async (context: WorkerContext): Promise<void> => {
  const { db, state } = context;
  const mine = () => ({ workerId: state.workerId, limit: BATCH });
  await launch(context, await resumeRuns(db, mine()));
  await launch(context, await takeCancels(db, mine()));
};

export const tickLoop = async (context: WorkerContext): Promise<void> => {
  const { state, log } = context;
  let next = 0;
  while (!state.stopped) {
    try {
      if (performance.now() >= next) {
        next = performance.now() + context.tickMs;
        await tickOnce(context);
      }
      if (holdsLease(context)) await takeUp(context);
    } catch (error) {
      log.warn({ err: error }, 'tick failed');
    }
    await context.wakes.tick.wait(Math.max(10, next - performance.now()));
  }
};
