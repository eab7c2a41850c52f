/**
 * Reports a batch of outcomes. One that the database will not take - a wall it cannot store, say -
 * must not keep the others: then each is tried alone, and the bad one ends as a failure of its own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db/open.ts';
import { sqlState } from '../db/transaction.ts';
import type { Log } from '../event/log.ts';
import type { RunReport } from '../run/complete-runs.ts';
import { reportRuns } from '../run/report-runs.ts';

/** Data the database refuses: classes 22 (bad data), 23 (constraint), 54 (limits). Anything else may pass. */
const isRefusal = (error: unknown): boolean => /^(22|23|54)/.test(sqlState(error) ?? '');

const RETRY_MS = 200;

export interface BatchOptions {
  readonly reports: readonly RunReport[];
  readonly log: Log;
  /** Whether it still makes sense to try: the lease holds and nobody has pulled the plug. */
  readonly mayTry: () => boolean;
  /** What is reported is already that the database refused the result. */
  readonly refused?: boolean;
}

export const completeBatch = async (db: Db, options: BatchOptions): Promise<readonly number[]> => {
  const { reports, log, mayTry } = options;
  while (mayTry()) {
    try {
      return (await reportRuns(db, reports)).accepted;
    } catch (error) {
      if (isRefusal(error)) return completeApart(db, options, error);
      log.warn({ err: error, runs: reports.length }, 'could not report runs; trying again');
      await sleep(RETRY_MS);
    }
  }
  return [];
};

const completeApart = async (
  db: Db,
  options: BatchOptions,
  error: unknown,
): Promise<readonly number[]> => {
  const [only] = options.reports;
  if (only === undefined) return [];
  if (options.reports.length > 1) {
    const accepted: number[] = [];
    for (const report of options.reports)
      accepted.push(...(await completeBatch(db, { ...options, reports: [report] })));
    return accepted;
  }
  options.log.error({ err: error, run: only.runId }, 'the database refused the result of a run');
  // nothing can be said of it: it is not in this worker's hands any more, and so will be taken over
  if (options.refused === true) return [];
  const said = error instanceof Error ? error.message : String(error);
  const reason = `the result could not be stored: ${said}`;
  const report: RunReport = {
    runId: only.runId,
    token: only.token,
    outcome: { kind: 'failed', reason, retryable: false, blame: 'content' },
  };
  return completeBatch(db, { ...options, reports: [report], refused: true });
};
