/** Reports what has ended, in batches, until the last is told. */
import { completeBatch } from './complete-batch.ts';
import { BATCH, holdsLease, workMayBeThere, type WorkerContext } from './context.ts';
import { countSucceeded } from './sample.ts';

export const reportLoop = async (context: WorkerContext): Promise<void> => {
  const { state, finished, log } = context;
  while (!state.stopped || finished.length > 0) {
    if (finished.length === 0) {
      await context.wakes.report.wait(context.tickMs);
      continue;
    }
    const reports = finished.splice(0, BATCH);
    state.reporting = reports;
    const accepted = await completeBatch(context.hot.db, {
      reports,
      log,
      mayTry: () => holdsLease(context),
    });
    state.reporting = [];
    state.completed += accepted.length;
    context.sampler.count(countSucceeded(reports, accepted));
    context.tuner.observe(performance.now(), accepted.length, state.backlog);
    if (reports.some((report) => report.outcome.kind === 'waiting')) context.wakes.tick.ring();
    workMayBeThere(context);
  }
};
