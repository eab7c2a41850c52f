/** What a worker has to report: plain successes all at once, the rest with a decision for each. */
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { completeRuns, type Completion, type RunReport } from './complete-runs.ts';
import { endPlainRuns, isPlain, needsDecision } from './end-plain-runs.ts';

export const reportRuns = async (db: Db, reports: readonly RunReport[]): Promise<Completion> => {
  try {
    return await transaction(db, async (tx) => {
      const ended = await endPlainRuns(tx, reports.filter(isPlain));
      if (ended.length === reports.length) return { accepted: ended, fenced: [] };
      const known = new Set(ended);
      const rest = await completeRuns(
        tx,
        reports.filter((report) => !known.has(report.runId)),
      );
      return { accepted: [...ended, ...rest.accepted], fenced: rest.fenced };
    });
  } catch (error) {
    if (!needsDecision(error)) throw error;
    return transaction(db, (tx) => completeRuns(tx, reports));
  }
};
