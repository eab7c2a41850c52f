/**
 * Waiting runs whose evidence is there come to a worker again. The evidence stays untaken, and
 * waiting_for stays written, until the resumed part has reported: if the worker dies in between, the
 * run goes back to waiting and is resumed with the same evidence. A new token, because whoever made
 * it wait may say so twice, when the answer to the first time was lost.
 */
import type { JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import type { ClaimedRun } from './claimed-run.ts';
import { loadRuns } from './load-runs.ts';

interface Found {
  readonly run_id: number;
  readonly evidence_id: number;
  readonly key: string;
  readonly payload: JsonObject;
}

export const resumeRuns = async (
  db: Db,
  options: { readonly workerId: number; readonly limit: number },
): Promise<readonly ClaimedRun[]> => {
  const { rows } = await sql<{ run_id: number }>`
    select distinct e.run_id from evidence e join run r on r.id = e.run_id and r.status = 'waiting' and r.waiting_for = e.key
    where e.taken_at is null limit ${options.limit}`.execute(db);
  if (rows.length === 0) return [];
  return transaction(db, async (tx) => {
    const { rows: locked } = await sql<{ id: number }>`
      select id from run where id = any(${rows.map((row) => row.run_id)}::bigint[]) and status = 'waiting'
      order by id for update skip locked`.execute(tx);
    const { rows: found } = await sql<Found>`
      select distinct on (e.run_id) e.run_id, e.id as evidence_id, e.key, e.payload
      from evidence e join run r on r.id = e.run_id and r.status = 'waiting' and r.waiting_for = e.key
      where e.run_id = any(${locked.map((row) => row.id)}::bigint[]) and e.taken_at is null order by e.run_id, e.id`.execute(
      tx,
    );
    if (found.length === 0) return [];
    await sql`
      update run r set status = 'running', worker_id = ${options.workerId}::bigint, token = nextval('fencing_token'), deadline_at = now() + o.deadline_seconds * interval '1 second'
      from role o where o.id = r.role_id and r.id = any(${found.map((row) => row.run_id)}::bigint[])`.execute(
      tx,
    );
    return loadRuns(
      tx,
      new Map(
        found.map((row) => [
          row.run_id,
          { kind: 'resume', evidenceId: row.evidence_id, key: row.key, payload: row.payload },
        ]),
      ),
    );
  });
};
