/**
 * A worker's claim to be alive. Its lease is the lease of all its runs: once it has run out, others
 * take them over. A worker that could not renew in time must assume that they have.
 */
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';

export const LEASE_SECONDS = 10;
export const RENEW_EVERY_MS = 3000;

export const registerWorker = async (
  db: Db,
  options: { readonly name: string; readonly concurrency: number },
): Promise<number> => {
  const { rows } = await sql<{ id: number }>`
    insert into worker (name, lease_until, concurrency)
    values (${options.name}, now() + ${LEASE_SECONDS} * interval '1 second', ${options.concurrency}) returning id`.execute(
    db,
  );
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('the database gave no worker id');
  return id;
};

export interface Renewal {
  readonly workerId: number;
  readonly concurrency: number;
  readonly draining: boolean;
  readonly status: object;
}

/** False = the lease had run out: whatever this worker holds is no longer its own. */
export const renewLease = async (db: Db, renewal: Renewal): Promise<boolean> => {
  const { rows } = await sql`
    update worker set lease_until = now() + ${LEASE_SECONDS} * interval '1 second', concurrency = ${renewal.concurrency},
      draining = ${renewal.draining}, status = ${JSON.stringify(renewal.status)}::jsonb
    where id = ${renewal.workerId} and lease_until > now() returning id`.execute(db);
  return rows.length === 1;
};

/** Lets go of everything at once: others need not wait for the lease to run out. */
export const endLease = async (db: Db, workerId: number): Promise<void> => {
  await sql`update worker set lease_until = now() - interval '1 second', draining = true where id = ${workerId}`.execute(
    db,
  );
  await sql`select pg_notify('hostwright_wake', 'lease')`.execute(db);
};
