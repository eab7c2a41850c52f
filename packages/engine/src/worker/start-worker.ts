/**
 * A worker: claims, hands runs to jigs, reports. Level-triggered: notifications and its own
 * completions make it fast, a tick makes it right, so a lost notification costs seconds and never a
 * stall. Claims and reports go in batches, side by side on two connections. It holds nothing that
 * another worker could not take up: kill it anywhere, and its runs are taken over when its lease ends.
 */
import type { Database } from '../db/open.ts';
import { listen } from '../event/listen.ts';
import type { Log } from '../event/log.ts';
import type { Jig } from '../jig.ts';
import { readAnnealer, takePass, type AnnealerMode } from '../annealer/annealer-mode.ts';
import { tick } from '../annealer/tick.ts';
import { appendRunLog } from '../run/append-run-log.ts';
import type { ClaimedRun } from '../run/claimed-run.ts';
import { claimRuns } from '../run/claim-runs.ts';
import type { RunReport } from '../run/complete-runs.ts';
import { resumeRuns } from '../run/resume-runs.ts';
import { takeCancels } from '../run/take-cancels.ts';
import { carryOut, type LiveRun } from './carry-out.ts';
import { completeBatch } from './complete-batch.ts';
import { endLease, LEASE_SECONDS, registerWorker, renewLease, RENEW_EVERY_MS } from './lease.ts';
import { createRoleCache } from './role-cache.ts';
import { createWake } from './signal.ts';
import { createTuner } from './tune.ts';

const BATCH = 250;
const FLUSH_LOG_MS = 300;
const ABORT_GRACE_MS = 5000;

export interface WorkerOptions {
  readonly database: Database;
  readonly jigs: readonly Jig[];
  readonly log: Log;
  readonly name: string;
  /** Fixed; without it the worker starts at 10 and tunes itself. */
  readonly concurrency?: number;
  readonly maxConcurrency?: number;
  /** How often the state is looked at even if nobody says that it changed. */
  readonly tickMs?: number;
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

export interface WorkerStatus {
  readonly concurrency: number;
  readonly running: number;
  readonly throughput: number;
  readonly completed: number;
  readonly mode: AnnealerMode;
}

export const startWorker = async (options: WorkerOptions): Promise<Worker> => {
  const { database, log } = options;
  const { db } = database;
  const jigs = new Map(options.jigs.map((jig) => [jig.name, jig]));
  const tuner = createTuner(
    options.maxConcurrency === undefined ? {} : { cap: options.maxConcurrency },
  );
  const roles = createRoleCache(db);
  const live = new Map<number, LiveRun>();
  const finished: RunReport[] = [];
  const claimWake = createWake();
  const reportWake = createWake();
  const tickWake = createWake();
  const idle = createWake();
  let workerId = await registerWorker(db, {
    name: options.name,
    concurrency: options.concurrency ?? tuner.concurrency,
  });
  let renewedAt = performance.now();
  let mode: AnnealerMode = await readAnnealer(db);
  let draining = false;
  let stopped = false;
  let more = true;
  let backlog = true;
  let completed = 0;
  let reporting = 0;

  const concurrency = (): number => options.concurrency ?? tuner.concurrency;
  const holdsLease = (): boolean => performance.now() - renewedAt < LEASE_SECONDS * 1000;
  const status = (): WorkerStatus => ({
    concurrency: concurrency(),
    running: live.size,
    throughput: Math.round(tuner.throughput),
    completed,
    mode,
  });

  const launch = (claimed: ClaimedRun): Promise<void> => {
    const run: LiveRun = {
      claimed,
      abort: new AbortController(),
      log: [],
      deadline: claimed.deadline.getTime(),
    };
    live.set(claimed.runId, run);
    return carryOut(db, {
      live: run,
      jig: jigs.get(claimed.jig),
      content: roles.get(claimed.role),
    }).then((outcome) => {
      if (live.get(claimed.runId) !== run) return; // lost or given up meanwhile
      live.delete(claimed.runId);
      finished.push({
        runId: claimed.runId,
        token: claimed.token,
        outcome,
        log: run.log,
        ...(claimed.entry.kind === 'resume' && { evidenceId: claimed.entry.evidenceId }),
        ...(run.overdue !== undefined && outcome.kind !== 'succeeded' && { overdue: run.overdue }),
      });
      reportWake.ring();
    });
  };

  const launchAll = async (runs: readonly ClaimedRun[]): Promise<void> => {
    if (runs.length === 0) return;
    await roles.load(runs.map((run) => run.role));
    for (const run of runs) void launch(run);
  };

  /** One claim. False = nothing more to be had now. */
  const claim = async (): Promise<number> => {
    const limit = Math.min(BATCH, concurrency() - live.size);
    if (limit <= 0) return 0;
    const found = await claimRuns(db, { workerId, limit });
    await launchAll(found.runs);
    more = found.lanes === limit || found.runs.length < found.lanes;
    backlog = found.lanes === limit;
    return found.runs.length;
  };

  const claimLoop = async (): Promise<void> => {
    while (!stopped) {
      try {
        if (mode === 'manual' && !draining && (await takePass(db))) await claim();
        if (mode === 'auto' && !draining && more && live.size < concurrency() && holdsLease()) {
          await claim();
          continue;
        }
      } catch (error) {
        log.warn({ err: error }, 'could not claim');
      }
      await claimWake.wait(options.tickMs ?? 2000);
    }
  };

  const reportLoop = async (): Promise<void> => {
    while (!stopped || finished.length > 0) {
      if (finished.length === 0) {
        idle.ring();
        await reportWake.wait(500);
        continue;
      }
      const reports = finished.splice(0, BATCH);
      reporting = reports.length;
      const accepted = await completeBatch(db, { reports, log, mayTry: holdsLease });
      reporting = 0;
      completed += accepted.length;
      tuner.observe(performance.now(), accepted.length, backlog);
      if (reports.some((report) => report.outcome.kind === 'waiting')) tickWake.ring();
      more = true;
      claimWake.ring();
    }
  };

  const loseEverything = (): void => {
    log.error({ worker: workerId, runs: live.size }, 'lease lost: giving up all runs');
    for (const run of live.values()) run.abort.abort(new Error('this worker lost its lease'));
    live.clear();
    finished.length = 0;
  };

  const renewLoop = async (): Promise<void> => {
    const wake = createWake();
    stopRenewing = wake.ring;
    while (!stopped) {
      await wake.wait(RENEW_EVERY_MS);
      if (stopped) return;
      const asked = performance.now();
      try {
        if (
          await renewLease(db, { workerId, concurrency: concurrency(), draining, status: status() })
        ) {
          renewedAt = asked;
          continue;
        }
        loseEverything();
        workerId = await registerWorker(db, { name: options.name, concurrency: concurrency() });
        renewedAt = asked;
      } catch (error) {
        log.warn({ err: error }, 'could not renew the lease');
        if (!holdsLease() && live.size > 0) loseEverything();
      }
    }
  };
  let stopRenewing = (): void => {};

  const enforceDeadlines = (): void => {
    const now = Date.now();
    for (const run of live.values()) {
      if (now < run.deadline) continue;
      if (run.overdue === undefined) {
        run.overdue = 'deadline passed';
        run.abort.abort(new Error(run.overdue));
      } else if (now > run.deadline + ABORT_GRACE_MS) {
        // a jig that does not stop: the run ends all the same, what it says later is void
        live.delete(run.claimed.runId);
        finished.push({
          runId: run.claimed.runId,
          token: run.claimed.token,
          outcome: { kind: 'cancelled' },
          log: run.log,
          overdue: run.overdue,
        });
        reportWake.ring();
      }
    }
  };

  const tickLoop = async (): Promise<void> => {
    let nextTick = 0;
    while (!stopped) {
      try {
        if (performance.now() >= nextTick) {
          nextTick = performance.now() + (options.tickMs ?? 2000);
          mode = await readAnnealer(db);
          enforceDeadlines();
          const taken = await tick(db, {
            workerId,
            recoverable: options.jigs
              .filter((jig) => jig.recover !== undefined)
              .map((jig) => jig.name),
          });
          await launchAll(taken);
          more = true;
          claimWake.ring();
        }
        if (mode !== 'manual' || draining)
          await launchAll(await resumeRuns(db, { workerId, limit: BATCH }));
        else await launchAll(await resumeRuns(db, { workerId, limit: BATCH }));
        await launchAll(await takeCancels(db, { workerId, limit: BATCH }));
      } catch (error) {
        log.warn({ err: error }, 'tick failed');
      }
      await tickWake.wait(
        Math.max(10, Math.min(options.tickMs ?? 2000, nextTick - performance.now())),
      );
    }
  };

  const flushLogs = async (): Promise<void> => {
    const waiting = [...live.values()].filter(
      (run) => run.log.length > 0 && Date.now() - (run.log[0]?.at ?? 0) > FLUSH_LOG_MS,
    );
    for (const run of waiting) {
      const lines = run.log;
      run.log = [];
      await appendRunLog(db, { runId: run.claimed.runId, token: run.claimed.token, lines }).catch(
        (error: unknown) => {
          log.warn({ err: error, run: run.claimed.runId }, 'could not store log lines');
          run.log = [...lines, ...run.log];
        },
      );
    }
  };
  let flushing = false;
  const flusher = setInterval(() => {
    enforceDeadlines();
    if (flushing) return;
    flushing = true;
    void flushLogs().finally(() => {
      flushing = false;
    });
  }, FLUSH_LOG_MS);

  const listener = listen({
    url: database.url,
    channels: ['hostwright_wake', 'hostwright_evidence', 'hostwright_cancel'],
    log,
    onConnect: () => {
      more = true;
      claimWake.ring();
      tickWake.ring();
    },
    onNotify: (channel, payload) => {
      if (channel === 'hostwright_wake') {
        more = true;
        claimWake.ring();
        if (payload === 'mode')
          void readAnnealer(db).then(
            (now) => {
              mode = now;
              claimWake.ring();
            },
            () => {},
          );
        return;
      }
      if (channel === 'hostwright_cancel')
        live.get(Number(payload))?.abort.abort(new Error('cancelled'));
      tickWake.ring();
    },
  });

  const loops = [claimLoop(), reportLoop(), renewLoop(), tickLoop()];
  const quiet = async (): Promise<void> => {
    while (live.size > 0 || finished.length > 0 || reporting > 0) await idle.wait(50);
  };

  return {
    get id() {
      return workerId;
    },
    status,
    annealOnce: async () => {
      const started = await claim();
      await quiet();
      return started;
    },
    drain: async () => {
      draining = true;
      await quiet();
    },
    stop: async () => {
      if (stopped) return;
      draining = true;
      stopped = true;
      for (const run of live.values()) run.abort.abort(new Error('this worker stops'));
      live.clear();
      for (const wake of [claimWake, reportWake, tickWake]) wake.ring();
      stopRenewing();
      clearInterval(flusher);
      await listener.stop();
      await Promise.all(loops);
      await endLease(db, workerId).catch(() => {});
    },
  };
};

export const annealOnce = (worker: Worker): Promise<number> => worker.annealOnce();
