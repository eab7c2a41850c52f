/**
 * A worker: claims, hands runs to jigs, reports. Level-triggered: notifications and its own
 * completions make it fast, a tick makes it right, so a lost notification costs seconds and never a
 * stall. Claims and reports go in batches, side by side on two connections. It holds nothing that
 * another worker could not take up: kill it anywhere, and its runs are taken over when its lease ends.
 */
import { readAnnealer, type AnnealerMode } from '../annealer/annealer-mode.ts';
import { openDatabase, type Database } from '../db/open.ts';
import { listen } from '../event/listen.ts';
import type { Log } from '../event/log.ts';
import type { Jig } from '../jig.ts';
import type { MasterKey } from '../secret/seal.ts';
import { claim, claimLoop } from './claim-loop.ts';
import { workMayBeThere, type WorkerContext } from './context.ts';
import { endLease, registerWorker } from './lease.ts';
import { createLiveRuns } from './live-runs.ts';
import { renewLoop } from './renew-loop.ts';
import { reportLoop } from './report-loop.ts';
import { createSampler } from './sample.ts';
import { tickLoop } from './tick-loop.ts';
import { createTuner } from './tune.ts';
import { createWake } from './wake.ts';

const TICK_MS = 2000;
const WATCH_MS = 200;

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

/**
 * Claims and reports: few statements, always the same, always by index. Prepared and planned once,
 * for whatever size the tables had then, so sequential scans are ruled out.
 */
const openHot = ({ database, log }: WorkerOptions): Database =>
  openDatabase({
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

const openContext = async (options: WorkerOptions): Promise<WorkerContext> => {
  const { database, log, name } = options;
  const { db } = database;
  const tuner = createTuner(
    options.maxConcurrency === undefined ? {} : { cap: options.maxConcurrency },
  );
  const concurrency = (): number => options.concurrency ?? tuner.concurrency;
  const wakes = {
    claim: createWake(),
    report: createWake(),
    tick: createWake(),
    renew: createWake(),
  };
  const finished: WorkerContext['finished'] = [];
  const live = createLiveRuns({
    ...options,
    db,
    onFinished: (report) => {
      finished.push(report);
      wakes.report.ring();
    },
  });
  const mode = await readAnnealer(db);
  return {
    name,
    log,
    db,
    hot: openHot(options),
    tickMs: options.tickMs ?? TICK_MS,
    recoverable: options.jigs.filter((jig) => jig.recover !== undefined).map((jig) => jig.name),
    live,
    tuner,
    sampler: createSampler(),
    concurrency,
    finished,
    wakes,
    state: {
      workerId: await registerWorker(db, { name, concurrency: concurrency() }),
      renewedAt: performance.now(),
      mode,
      draining: false,
      stopped: false,
      mayBeMore: true,
      backlog: false,
      completed: 0,
      reporting: [],
      ticks: 0,
      putRightAt: 1,
      claims: 0,
      claiming: 0,
    },
  };
};

const listenFor = (context: WorkerContext, url: string) => {
  const { db, live, state, wakes, log } = context;
  return listen({
    url,
    channels: ['hostwright_wake', 'hostwright_evidence', 'hostwright_cancel'],
    log,
    onConnect: () => {
      workMayBeThere(context);
      wakes.tick.ring();
    },
    onNotify: (channel, payload) => {
      if (channel === 'hostwright_cancel') live.abort(Number(payload), 'cancelled');
      if (channel !== 'hostwright_wake') return wakes.tick.ring();
      if (payload === 'mode')
        return void readAnnealer(db).then(
          (now) => {
            state.mode = now;
            workMayBeThere(context);
          },
          () => wakes.tick.ring(),
        );
      return workMayBeThere(context);
    },
  });
};

/** Resolves when nothing is in this worker's hands. */
const quiet = async ({ live, finished, state }: WorkerContext): Promise<void> => {
  const look = createWake();
  while (live.size > 0 || finished.length > 0 || state.reporting.length > 0) await look.wait(10);
};

export const startWorker = async (options: WorkerOptions): Promise<Worker> => {
  const context = await openContext(options);
  const { db, live, state, wakes } = context;
  const status = (): WorkerStatus => ({
    concurrency: context.concurrency(),
    running: live.size,
    throughput: Math.round(context.tuner.throughput),
    completed: state.completed,
    mode: state.mode,
  });
  let watching = Promise.resolve();
  const watcher = setInterval(() => {
    live.enforceDeadlines(Date.now());
    watching = watching.then(() => live.flushLogs(Date.now()));
  }, WATCH_MS);
  const listener = listenFor(context, options.database.url);
  const loops = [
    claimLoop(context),
    reportLoop(context),
    renewLoop(context, status),
    tickLoop(context),
  ];
  return {
    get id() {
      return state.workerId;
    },
    status,
    annealOnce: async () => {
      const started = await claim(context);
      await quiet(context);
      return started;
    },
    drain: async () => {
      state.draining = true;
      await quiet(context);
    },
    stop: async () => {
      if (state.stopped) return;
      state.stopped = true;
      live.loseAll('this worker stops');
      for (const wake of Object.values(wakes)) wake.ring();
      clearInterval(watcher);
      await listener.stop();
      await Promise.all([...loops, watching]);
      await context.sampler.write(db, { workerId: state.workerId, running: 0 }).catch(() => {});
      await endLease(db, state.workerId).catch(() => {});
      await context.hot.close();
    },
  };
};
