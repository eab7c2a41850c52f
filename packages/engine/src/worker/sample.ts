/**
 * What a worker did since it last said so, for the annealer's chart. Kept in memory and written with
 * the lease, because counting runs afterwards costs as much as there are, and an index on their times
 * would be paid for by each of them. A worker that is killed takes its last three seconds with it.
 */
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import type { RunReport } from '../run/complete-runs.ts';

export interface Sampler {
  readonly count: (succeeded: number) => void;
  /** Writes what happened; a worker at rest writes nothing. */
  readonly write: (
    db: Db,
    now: { readonly workerId: number; readonly running: number },
  ) => Promise<void>;
}

export const countSucceeded = (
  reports: readonly RunReport[],
  accepted: readonly number[],
): number => {
  const taken = new Set(accepted);
  return reports.filter(
    ({ outcome, overdue, runId }) =>
      outcome.kind === 'succeeded' && overdue === undefined && taken.has(runId),
  ).length;
};

export const createSampler = (): Sampler => {
  let succeeded = 0;
  let wasRunning = 0;
  let since = performance.now();
  return {
    count: (more) => {
      succeeded += more;
    },
    write: async (db, { workerId, running }) => {
      const now = performance.now();
      const seconds = (now - since) / 1000;
      const written = succeeded;
      if (written > 0 || running > 0 || wasRunning > 0)
        await sql`
          insert into worker_sample (worker_id, since, at, succeeded, running)
          values (${workerId}, clock_timestamp() - ${seconds}::float8 * interval '1 second', clock_timestamp(), ${written}, ${running})`.execute(
          db,
        );
      // only now: what could not be written is in the next
      succeeded -= written;
      wasRunning = running;
      since = now;
    },
  };
};
