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

export interface LiveRuns {
  readonly size: number;
  launch(runs: readonly ClaimedRun[]): Promise<void>;
  abort(runId: number, why: string): void;
  enforceDeadlines(now: number): void;
  flushLogs(now: number): Promise<void>;
  /** Compares with the database: what was cancelled is told so, what is lost is let go. */
  compare(): Promise<void>;
  loseAll(why: string): void;
}

export const createLiveRuns = (options: LiveRunsOptions): LiveRuns => {
  const { db, log } = options;
  const jigs = new Map(options.jigs.map((jig) => [jig.name, jig]));
  const roles = createRoleCache(db);
  const live = new Map<number, LiveRun>();

  const finish = (run: LiveRun, outcome: RunReport['outcome']): void => {
    const { claimed } = run;
    if (live.get(claimed.runId) !== run) return; // lost or given up meanwhile
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
    abort: (runId, why) => live.get(runId)?.abort.abort(new Error(why)),
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
    compare: async () => {
      if (live.size === 0) return;
      const before = [...live.values()];
      const { rows } = await sql<{ id: number; token: number; status: string }>`
        select id, token, status from run where id = any(${before.map((run) => run.claimed.runId)}::bigint[])
          and status in ('running', 'cancelling')`.execute(db);
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
    },
    loseAll: (why) => {
      for (const run of live.values()) run.abort.abort(new Error(why));
      live.clear();
    },
  };
};
