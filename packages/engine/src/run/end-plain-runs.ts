/**
 * Ends plain successes, which are nearly all endings, by one function of the database: run, noderole,
 * children, lanes and events, for the whole batch, without a row coming here to be decided about.
 * What is not plain - a wall, evidence, another status than running - is left to completeRuns.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { sqlState } from '../db/transaction.ts';
import { advanceRollouts } from '../rollout/advance-rollouts.ts';
import type { RunReport } from './complete-runs.ts';
import { writeLog } from './write-ending.ts';

export const isPlain = ({ outcome, evidenceId, overdue }: RunReport): boolean =>
  outcome.kind === 'succeeded' &&
  outcome.wall === undefined &&
  evidenceId === undefined &&
  overdue === undefined;

/** Raised by end_runs, which then has changed nothing: one of the noderoles needs a decision. */
export const needsDecision = (error: unknown): boolean => sqlState(error) === 'HW001';

interface Ended {
  readonly id: number;
  readonly logged: number;
  readonly snapshot_id: number | null;
}

/** Returns the runs that it ended; others have another token or status by now. */
export const endPlainRuns = async (
  tx: Tx,
  reports: readonly RunReport[],
): Promise<readonly number[]> => {
  if (reports.length === 0) return [];
  const { rows } = await sql<Ended>`
    select id, logged, snapshot_id from end_runs(
      ${reports.map((report) => report.runId)}::bigint[], ${reports.map((report) => report.token)}::bigint[],
      ${reports.map((report) => report.log?.length ?? 0)}::int[])`.execute(tx);
  const logged = new Map(rows.map((row) => [row.id, row.logged]));
  await writeLog(
    tx,
    reports.flatMap((report) => {
      const first = logged.get(report.runId);
      return first === undefined
        ? []
        : (report.log ?? []).map((line, index) => ({
            ...line,
            runId: report.runId,
            seq: first + index + 1,
          }));
    }),
  );
  const snapshots = new Set(rows.flatMap((row) => row.snapshot_id ?? []));
  if (snapshots.size > 0) await advanceRollouts(tx, [...snapshots]);
  return rows.map((row) => row.id);
};
