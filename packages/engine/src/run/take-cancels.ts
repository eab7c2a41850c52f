/** Waiting runs that are to stop: a worker lends itself to the jig's cancel. */
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import type { ClaimedRun } from './claimed-run.ts';
import { loadRuns } from './load-runs.ts';

export const takeCancels = async (
  db: Db,
  options: { readonly workerId: number; readonly limit: number },
): Promise<readonly ClaimedRun[]> => {
  const wanted = sql<{ id: number }>`
    select id from run where status = 'cancelling' and worker_id is null order by id limit ${options.limit}`;
  if ((await wanted.execute(db)).rows.length === 0) return [];
  return transaction(db, async (tx) => {
    const { rows } = await sql<{ id: number; error: string | null }>`
      update run set worker_id = ${options.workerId}::bigint
      where id in (select id from run where status = 'cancelling' and worker_id is null order by id limit ${options.limit} for update skip locked)
      returning id, error`.execute(tx);
    return loadRuns(tx, new Map(rows.map((row) => [row.id, { kind: 'cancel', why: row.error }])));
  });
};
