/** The setting that lets webhooks go to inner addresses. Off unless an admin says otherwise. */
import type { Db, Tx } from '../db/open.ts';

const KEY = 'webhook.allowInner';

export const readAllowInner = async (db: Db | Tx): Promise<boolean> => {
  const row = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', KEY)
    .executeTakeFirst();
  return row?.value === true;
};

export const setAllowInner = async (db: Db | Tx, allowed: boolean): Promise<void> => {
  const value = JSON.stringify(allowed);
  await db
    .insertInto('setting')
    .values({ key: KEY, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
};
