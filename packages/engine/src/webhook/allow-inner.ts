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
