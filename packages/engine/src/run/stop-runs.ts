/**
 * Tells live runs to stop. One that runs sees its signal; one that waits is given to a worker, which
 * calls the jig's cancel. Either way it ends within CANCEL_SECONDS: then it is ended without asking.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { tellWorkers } from './tell-workers.ts';

const CANCEL_SECONDS = 30;

export interface Stop {
  readonly runIds: readonly number[];
  readonly why: string;
  /** It failed by its deadline, it was not cancelled. */
  readonly overdue?: boolean;
}

export const stopRuns = async (tx: Tx, stop: Stop): Promise<readonly number[]> => {
  if (stop.runIds.length === 0) return [];
  const { rows } = await sql<{ id: number }>`
    update run set status = 'cancelling', deadline_at = now() + ${CANCEL_SECONDS} * interval '1 second', error = ${stop.why},
      blame = ${stop.overdue === true ? 'node' : 'operator'}, worker_id = case when status = 'waiting' then null else worker_id end
    where id = any(${[...stop.runIds]}::bigint[]) and status in ('running', 'waiting')
    returning id`.execute(tx);
  const stopped = rows.map((row) => row.id);
  await tellWorkers(tx, stopped);
  return stopped;
};
