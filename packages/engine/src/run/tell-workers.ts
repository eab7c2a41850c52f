import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

/** Whichever worker has one of these runs in hand stops it at once; without this it would see so at its next tick. */
export const tellWorkers = async (tx: Tx, runIds: readonly number[]): Promise<void> => {
  if (runIds.length === 0) return;
  await sql`select pg_notify('hostwright_cancel', id::text) from unnest(${[...runIds]}::bigint[]) as stopped(id)`.execute(
    tx,
  );
};
