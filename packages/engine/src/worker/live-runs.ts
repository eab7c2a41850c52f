/**
 * The runs in this worker's hands. Starts them, keeps their deadlines, stores their logs as they
 * grow, and lets go of those that are no longer its own: a run that another has ended or taken over
 * is aborted here and whatever its jig still says is thrown away.
 */
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import type { Log } from '../event/log.ts';
import type { Jig } from '../jig.ts';
import { appendRunLog } from '../run/append-run-log.ts';
import type { ClaimedRun } from '../run/claimed-run.ts';
import type { RunReport } from '../run/complete-runs.ts';
import type { MasterKey } from '../secret/seal.ts';
import { carryOut, type LiveRun } from './carry-out.ts';
import { createRoleCache } from './role-cache.ts';

const ABORT_GRACE_MS = 5000;
const FLUSH_LOG_MS = 300;

export interface LiveRunsOptions {
  readonly db: Db;
  readonly jigs: readonly Jig[];
  readonly master?: MasterKey | undefined;
  readonly log: Log;
  readonly onFinished: (report: RunReport) => void;
}

export interface Mine {
  readonly workerId: number;
  /** Runs that are being reported. */
  readonly reporting: () => readonly number[];
  /** Which claim is under way, 0 = none: what it is given is not in anybody's hands yet. */
  readonly claiming: () => number;
}

export interface LiveRuns {
  readonly size: number;
  launch(runs: readonly ClaimedRun[]): Promise<void>;
  abort(runId: number, why: string): void;
  enforceDeadlines(now: number): void;
  flushLogs(now: number): Promise<void>;
  /**
   * Compares with the database: what was cancelled is told so, what is lost is let go. Returns the
   * runs that are this worker's by name, though twice in a row they were neither in its hands nor
   * among those it reports: the answer that gave them to it, or took its report, never came.
   */
  compare(mine: Mine): Promise<readonly number[]>;
  loseAll(why: string): void;
}

export const createLiveRuns = (options: LiveRunsOptions): LiveRuns => {
  const { db, log } = options;
  const jigs = new Map(options.jigs.map((jig) => [jig.name, jig]));
  const roles = createRoleCache(db);
  const live = new Map<number, LiveRun>();
  let strangers = new Map<number, number>();
  let claimingThen = 0;

  const finish = (run: LiveRun, outcome: RunReport['outcome']): void => {
    const { claimed } = run;
    if (live.get(claimed.runId) !== run) return; // lost or given up meanwhile
    if (run.flushing !== undefined) {
      void run.flushing.then(() => finish(run, outcome));
      return;
    }
    live.delete(claimed.runId);
    options.onFinished({
      runId: claimed.runId,
      token: claimed.token,
      outcome,
      log: run.log,
      ...(claimed.entry.kind === 'resume' && { evidenceId: claimed.entry.evidenceId }),
      ...(run.overdue !== undefined && outcome.kind !== 'succeeded' && { overdue: run.overdue }),
    });
  };

  const start = (claimed: ClaimedRun): void => {
    const run: LiveRun = {
      claimed,
      abort: new AbortController(),
      log: [],
      flushing: undefined,
      deadline: claimed.deadline.getTime(),
    };
    live.set(claimed.runId, run);
    const work = {
      live: run,
      jig: jigs.get(claimed.jig),
      content: roles.get(claimed.role),
      master: options.master,
    };
    void carryOut(db, work).then((outcome) => finish(run, outcome));
  };

  const flush = async (run: LiveRun): Promise<void> => {
    run.flushing = store(run).finally(() => {
      run.flushing = undefined;
    });
    await run.flushing;
  };

  const store = async (run: LiveRun): Promise<void> => {
    const lines = run.log;
    run.log = [];
    try {
      await appendRunLog(db, { runId: run.claimed.runId, token: run.claimed.token, lines });
    } catch (error) {
      log.warn({ err: error, run: run.claimed.runId }, 'could not store log lines');
      run.log = [...lines, ...run.log];
    }
  };

  return {
    get size() {
      return live.size;
    },
    launch: async (runs) => {
      if (runs.length === 0) return;
      await roles.load(runs.map((run) => run.role));
      for (const run of runs) start(run);
    },
    abort: (runId, why) => {
      const run = live.get(runId);
      // told once more what it is at
      if (run?.claimed.entry.kind !== 'cancel') run?.abort.abort(new Error(why));
    },
    enforceDeadlines: (now) => {
      for (const run of live.values()) {
        if (now < run.deadline) continue;
        if (run.overdue === undefined) {
          run.overdue = 'deadline passed';
          run.abort.abort(new Error(run.overdue));
        } else if (now > run.deadline + ABORT_GRACE_MS) finish(run, { kind: 'cancelled' });
      }
    },
    flushLogs: async (now) => {
      for (const run of live.values())
        if (run.log.length > 0 && now - (run.log[0]?.at ?? now) > FLUSH_LOG_MS) await flush(run);
    },
    compare: async (mine) => {
      const before = [...live.values()];
      const held = new Set([...live.keys(), ...mine.reporting()]);
      const { rows } = await sql<{ id: number; token: number; status: string; mine: boolean }>`
        select id, token, status, worker_id = ${mine.workerId} as mine from run
        where status in ('running', 'cancelling')
          and (worker_id = ${mine.workerId} or id = any(${before.map((run) => run.claimed.runId)}::bigint[]))`.execute(
        db,
      );
      const known = new Map(rows.map((row) => [row.id, row]));
      for (const run of before) {
        const row = known.get(run.claimed.runId);
        if (row?.token === run.claimed.token) {
          if (row.status === 'cancelling' && run.claimed.entry.kind !== 'cancel')
            run.abort.abort(new Error('cancelled'));
          continue;
        }
        run.abort.abort(new Error('this run is no longer this worker\u2019s'));
        if (live.get(run.claimed.runId) === run) live.delete(run.claimed.runId);
      }
      const claiming = mine.claiming();
      const seen =
        claiming === 0 || claiming !== claimingThen ? strangers : new Map<number, number>();
      claimingThen = claiming;
      const now = new Set([...held, ...live.keys(), ...mine.reporting()]);
      strangers = new Map(
        rows.filter((row) => row.mine && !now.has(row.id)).map((row) => [row.id, row.token]),
      );
      return [...strangers].filter(([id, token]) => seen.get(id) === token).map(([id]) => id);
    },
    loseAll: (why) => {
      for (const run of live.values()) run.abort.abort(new Error(why));
      live.clear();
    },
  };
};
