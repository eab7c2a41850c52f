/**
 * Forgets what nobody will ask for: spent tokens after a day, intents and boot attempts of strangers
 * after a day and of nodes after thirty. In steps, so that a flood's remains lock nothing long.
 */
import type { Db } from '@hostwright/engine';
import { sql } from 'kysely';

const STEP = 5000;

const deleteOld = async (db: Db, table: string, condition: string): Promise<number> => {
  const key = table === 'boot_token' ? 'hash' : 'id';
  let gone = 0;
  for (;;) {
    const done = await sql`
      delete from ${sql.table(table)} where ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${sql.table(table)} where ${sql.raw(condition)} limit ${STEP})`.execute(
      db,
    );
    const count = Number(done.numAffectedRows ?? 0n);
    gone += count;
    if (count < STEP) return gone;
  }
};

export const pruneBoots = async (db: Db): Promise<number> =>
  (await deleteOld(db, 'boot_token', `expires_at < now() - interval '1 day'`)) +
  (await deleteOld(
    db,
    'boot_intent',
    `created_at < now() - case when node_id is null then interval '1 day' else interval '30 days' end
      and (node_id is null or used_at is not null or void_at is not null or expires_at < now())`,
  )) +
  (await deleteOld(
    db,
    'boot_attempt',
    `started_at < now() - case when node_id is null then interval '1 day' else interval '30 days' end`,
  ));
