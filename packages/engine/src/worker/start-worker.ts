/**
 * A worker: claims, hands runs to jigs, reports. Level-triggered: notifications and its own
 * completions make it fast, a tick makes it right, so a lost notification costs seconds and never a
 * stall. Claims and reports go in batches, side by side on two connections. It holds nothing that
 * another worker could not take up: kill it anywhere, and its runs are taken over when its lease ends.
 */
import { readAnnealer, takePass, type AnnealerMode } from '../annealer/annealer-mode.ts';
import { tick } from '../annealer/tick.ts';
import { openDatabase, type Database } from '../db/open.ts';
import { listen } from '../event/listen.ts';
import type { Log } from '../event/log.ts';
import type { Jig } from '../jig.ts';
import { claimRuns } from '../run/claim-runs.ts';
import type { ClaimedRun } from '../run/claimed-run.ts';
import type { RunReport } from '../run/complete-runs.ts';
import { resumeRuns } from '../run/resume-runs.ts';
import { takeCancels } from '../run/take-cancels.ts';
import type { MasterKey } from '../secret/seal.ts';
import { completeBatch } from './complete-batch.ts';
import { endLease, LEASE_SECONDS, registerWorker, renewLease, RENEW_EVERY_MS } from './lease.ts';
import { createLiveRuns } from './live-runs.ts';
import { countSucceeded, createSampler } from './sample.ts';
import { createTuner } from './tune.ts';
import { createWake } from './wake.ts';

const BATCH = 250;
const TICK_MS = 2000;
const WATCH_MS = 200;
/** Every so many ticks also what reads all that is unsettled. */
const THOROUGH_EVERY = 10;

export interface WorkerOptions {
  readonly database: Database;
  readonly jigs: readonly Jig[];
  readonly log: Log;
  readonly name: string;
  /** Opens secrets for the runs that use them. */
  readonly master?: MasterKey;
  /** Fixed; without it the worker starts at 10 and tunes itself. */
  readonly concurrency?: number;
  readonly maxConcurrency?: number;
  /** How often the state is looked at even if nobody says that it changed. */
  readonly tickMs?: number;
}

export interface WorkerStatus {
  readonly concurrency: number;
  readonly running: number;
  readonly throughput: number;
  readonly completed: number;
  readonly mode: AnnealerMode;
}

export interface Worker {
  readonly id: number;
  readonly status: () => WorkerStatus;
  /** One pass for manual mode: claims once, waits until those runs have ended or wait. Returns how many. */
  readonly annealOnce: () => Promise<number>;
  /** Claims nothing more and waits until what it runs has ended. */
  readonly drain: () => Promise<void>;
  /** Lets go: what is still running is left for another worker to take over. */
  readonly stop: () => Promise<void>;
}

export const startWorker = async (options: WorkerOptions): Promise<Worker> => {
  const { database, log, name } = options;
  const { db } = database;
  // Claims and reports: few statements, always the same, always by index. Prepared and planned once,
  // for whatever size the tables had then, so sequential scans are ruled out.
  const hot = openDatabase({
    url: database.url,
    maxConnections: 3,
    applicationName: 'hostwright worker',
    prepare: true,
    settings: {
      plan_cache_mode: 'force_generic_plan',
      enable_seqscan: 'off',
      random_page_cost: '1.1',
    },
    onIdleError: (error) => log.warn({ err: error }, 'a connection of the worker was lost'),
  });
  const tickMs = options.tickMs ?? TICK_MS;
  const recoverable = options.jigs
    .filter((jig) => jig.recover !== undefined)
    .map((jig) => jig.name);
  const tuner = createTuner(
    options.maxConcurrency === undefined ? {} : { cap: options.maxConcurrency },
  );
  const concurrency = (): number => options.concurrency ?? tuner.concurrency;
  const sampler = createSampler();
  const claimWake = createWake();
  const reportWake = createWake();
  const tickWake = createWake();
  const renewWake = createWake();
  const finished: RunReport[] = [];
  const live = createLiveRuns({
    ...options,
    db,
    onFinished: (report) => {
      finished.push(report);
      reportWake.ring();
    },
  });

  const state = {
    workerId: await registerWorker(db, { name, concurrency: concurrency() }),
    renewedAt: performance.now(),
    mode: await readAnnealer(db),
    draining: false,
    stopped: false,
    /** Something may have become claimable since the last claim. */
    mayBeMore: true,
    /** The last claim found more than it could take. */
    backlog: false,
    completed: 0,
    reporting: [] as readonly RunReport[],
    ticks: 0,
    claims: 0,
    claiming: 0,
  };

  const holdsLease = (): boolean => performance.now() - state.renewedAt < LEASE_SECONDS * 1000;
  const status = (): WorkerStatus => ({
    concurrency: concurrency(),
    running: live.size,
    throughput: Math.round(tuner.throughput),
    completed: state.completed,
    mode: state.mode,
  });
  const workMayBeThere = (): void => {
    state.mayBeMore = true;
    claimWake.ring();
  };

  const launch = async (runs: readonly ClaimedRun[]): Promise<void> => {
    // one that stops lets go of its lease: whatever it has just been given, others take over
    if (!state.stopped) await live.launch(runs);
  };

  const claim = async (): Promise<number> => {
    const limit = Math.min(BATCH, concurrency() - live.size);
    if (limit <= 0) return 0;
    state.mayBeMore = false;
    state.claiming = ++state.claims;
    try {
      const found = await claimRuns(hot.db, { workerId: state.workerId, limit });
      state.backlog = found.lanes === limit;
      if (state.backlog || found.runs.length < found.lanes) state.mayBeMore = true;
      await launch(found.runs);
      return found.runs.length;
    } finally {
      state.claiming = 0;
    }
  };

  const claimLoop = async (): Promise<void> => {
    while (!state.stopped) {
      try {
        if (state.mode === 'manual' && !state.draining && (await takePass(db))) await claim();
        if (
          state.mode === 'auto' &&
          !state.draining &&
          state.mayBeMore &&
          live.size < concurrency() &&
          holdsLease()
        ) {
          await claim();
          continue;
        }
      } catch (error) {
        log.warn({ err: error }, 'could not claim');
        state.mayBeMore = true;
      }
      await claimWake.wait(tickMs);
    }
  };

  const reportLoop = async (): Promise<void> => {
    while (!state.stopped || finished.length > 0) {
      if (finished.length === 0) {
        await reportWake.wait(tickMs);
        continue;
      }
      const reports = finished.splice(0, BATCH);
      state.reporting = reports;
      const accepted = await completeBatch(hot.db, { reports, log, mayTry: holdsLease });
      state.reporting = [];
      state.completed += accepted.length;
      sampler.count(countSucceeded(reports, accepted));
      tuner.observe(performance.now(), accepted.length, state.backlog);
      if (reports.some((report) => report.outcome.kind === 'waiting')) tickWake.ring();
      workMayBeThere();
    }
  };

  const giveUp = (): void => {
    log.error({ worker: state.workerId, runs: live.size }, 'lease lost: giving up all runs');
    live.loseAll('this worker lost its lease');
    finished.length = 0;
  };

  const renewLoop = async (): Promise<void> => {
    while (!state.stopped) {
      await renewWake.wait(RENEW_EVERY_MS);
      if (state.stopped) return;
      const asked = performance.now();
      try {
        const still = await renewLease(db, {
          workerId: state.workerId,
          concurrency: concurrency(),
          draining: state.draining,
          status: status(),
        });
        if (!still) {
          giveUp();
          state.workerId = await registerWorker(db, { name, concurrency: concurrency() });
        }
        state.renewedAt = asked;
        await sampler.write(db, { workerId: state.workerId, running: live.size });
      } catch (error) {
        log.warn({ err: error }, 'could not renew the lease');
        if (!holdsLease()) giveUp();
      }
    }
  };

  const takeUp = async (): Promise<void> => {
    await launch(await resumeRuns(db, { workerId: state.workerId, limit: BATCH }));
    await launch(await takeCancels(db, { workerId: state.workerId, limit: BATCH }));
  };

  const tickLoop = async (): Promise<void> => {
    let next = 0;
    while (!state.stopped) {
      try {
        if (performance.now() >= next) {
          next = performance.now() + tickMs;
          state.mode = await readAnnealer(db);
          const lost = await live.compare({
            workerId: state.workerId,
            claiming: () => state.claiming,
            reporting: () => [...finished, ...state.reporting].map((report) => report.runId),
          });
          await launch(
            await tick(db, {
              workerId: state.workerId,
              recoverable,
              lost,
              thorough: state.ticks++ % THOROUGH_EVERY === 0,
            }),
          );
          workMayBeThere();
        }
        if (holdsLease()) await takeUp();
      } catch (error) {
        log.warn({ err: error }, 'tick failed');
      }
      await tickWake.wait(Math.max(10, next - performance.now()));
    }
  };

  let watching = Promise.resolve();
  const watcher = setInterval(() => {
    live.enforceDeadlines(Date.now());
    watching = watching.then(() => live.flushLogs(Date.now()));
  }, WATCH_MS);

  const listener = listen({
    url: database.url,
    channels: ['hostwright_wake', 'hostwright_evidence', 'hostwright_cancel'],
    log,
    onConnect: () => {
      workMayBeThere();
      tickWake.ring();
    },
    onNotify: (channel, payload) => {
      if (channel === 'hostwright_cancel') live.abort(Number(payload), 'cancelled');
      if (channel !== 'hostwright_wake') return tickWake.ring();
      if (payload === 'mode')
        return void readAnnealer(db).then(
          (now) => {
            state.mode = now;
            workMayBeThere();
          },
          () => tickWake.ring(),
        );
      return workMayBeThere();
    },
  });

  const loops = [claimLoop(), reportLoop(), renewLoop(), tickLoop()];
  const quiet = async (): Promise<void> => {
    const look = createWake();
    while (live.size > 0 || finished.length > 0 || state.reporting.length > 0) await look.wait(10);
  };

  return {
    get id() {
      return state.workerId;
    },
    status,
    annealOnce: async () => {
      const started = await claim();
      await quiet();
      return started;
    },
    drain: async () => {
      state.draining = true;
      await quiet();
    },
    stop: async () => {
      if (state.stopped) return;
      state.stopped = true;
      live.loseAll('this worker stops');
      for (const wake of [claimWake, reportWake, tickWake, renewWake]) wake.ring();
      clearInterval(watcher);
      await listener.stop();
      await Promise.all([...loops, watching]);
      await sampler.write(db, { workerId: state.workerId, running: 0 }).catch(() => {});
      await endLease(db, state.workerId).catch(() => {});
      await hot.close();
    },
  };
};
