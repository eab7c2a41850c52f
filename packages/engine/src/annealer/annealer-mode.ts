/** auto = the annealer runs; manual = one pass each time somebody asks; drain = nothing new starts. */
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';

export const ANNEALER_MODES = ['auto', 'manual', 'drain'] as const;
export type AnnealerMode = (typeof ANNEALER_MODES)[number];

const KEY = 'annealer';

export const readAnnealer = async (db: Db): Promise<AnnealerMode> => {
  const { rows } = await sql<{
    mode: AnnealerMode;
  }>`select value ->> 'mode' as mode from setting where key = ${KEY}`.execute(db);
  return rows[0]?.mode ?? 'auto';
};

export const setAnnealer = async (
  db: Db,
  options: { readonly mode: AnnealerMode; readonly actor?: string },
): Promise<void> => {
  await transaction(db, async (tx) => {
    await sql`
      insert into setting (key, value) values (${KEY}, jsonb_build_object('mode', ${options.mode}::text, 'passes', 0))
      on conflict (key) do update set value = excluded.value, updated_at = now()`.execute(tx);
    await emit(tx, {
      kind: 'annealer.changed',
      payload: { mode: options.mode, actor: options.actor ?? 'system' },
    });
    await sql`select pg_notify('hostwright_wake', 'mode')`.execute(tx);
  });
};

/** Asks whichever worker sees it first for one pass; only in manual mode. */
export const requestPass = async (db: Db): Promise<boolean> =>
  transaction(db, async (tx) => {
    const { rows } = await sql`
      update setting set value = jsonb_set(value, '{passes}', to_jsonb((value ->> 'passes')::int + 1))
      where key = ${KEY} and value ->> 'mode' = 'manual' returning key`.execute(tx);
    await sql`select pg_notify('hostwright_wake', 'pass')`.execute(tx);
    return rows.length > 0;
  });

export const takePass = async (db: Db): Promise<boolean> => {
  const { rows } = await sql`
    update setting set value = jsonb_set(value, '{passes}', to_jsonb((value ->> 'passes')::int - 1))
    where key = ${KEY} and (value ->> 'passes')::int > 0 returning key`.execute(db);
  return rows.length > 0;
};
