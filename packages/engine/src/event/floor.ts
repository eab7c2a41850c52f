/** The highest position whose events retention has dropped. */
import type { Db, Tx } from '../db/open.ts';

const KEY = 'event.floor';

export const readFloor = async (db: Db | Tx): Promise<number> => {
  const row = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', KEY)
    .executeTakeFirst();
  return typeof row?.value === 'number' ? row.value : 0;
};

export const raiseFloor = async (tx: Tx, position: number): Promise<void> => {
  await tx
    .insertInto('setting')
    .values({ key: KEY, value: JSON.stringify(position) })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({ value: JSON.stringify(position) }),
    )
    .execute();
};
