/** Keeps the lease, and gives up everything when it is lost. */
import { holdsLease, type WorkerContext } from './context.ts';
import { registerWorker, renewLease, RENEW_EVERY_MS } from './lease.ts';

const giveUp = ({ log, state, live, finished }: WorkerContext): void => {
  log.error({ worker: state.workerId, runs: live.size }, 'lease lost: giving up all runs');
  live.loseAll('this worker lost its lease');
  finished.length = 0;
};

export const renewLoop = async (context: WorkerContext, status: () => object): Promise<void> => {
  const { state, db, name, log } = context;
  while (!state.stopped) {
    await context.wakes.renew.wait(RENEW_EVERY_MS);
    if (state.stopped) return;
    const asked = performance.now();
    try {
      const still = await renewLease(db, {
        workerId: state.workerId,
        concurrency: context.concurrency(),
        draining: state.draining,
        status: status(),
      });
      if (!still) {
        giveUp(context);
        state.workerId = await registerWorker(db, { name, concurrency: context.concurrency() });
      }
      state.renewedAt = asked;
      await context.sampler.write(db, { workerId: state.workerId, running: context.live.size });
    } catch (error) {
      log.warn({ err: error }, 'could not renew the lease');
      if (!holdsLease(context)) giveUp(context);
    }
  }
};
