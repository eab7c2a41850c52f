/** How far a handler has come: moved only by who knows where it stood. */
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import type { Handler } from './handler.ts';
import type { Cursor } from './read.ts';

export const readPlace = async (
  db: Db,
  handler: Pick<Handler, 'name' | 'start'>,
): Promise<Cursor> => {
  const find = () =>
    db
      .selectFrom('event_reader')
      .select(['position', 'event_id as id'])
      .where('name', '=', handler.name)
      .executeTakeFirst();
  const there = await find();
  if (there !== undefined) return there;
  const start = await handler.start(db);
  await db
    .insertInto('event_reader')
    .values({ name: handler.name, position: start.position, event_id: start.id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await find()) ?? start;
};

export const movePlace = async (
  tx: Tx,
  options: { readonly name: string; readonly from: Cursor; readonly to: Cursor },
): Promise<boolean> => {
  const moved = await tx
    .updateTable('event_reader')
    .set({
      position: options.to.position,
      event_id: options.to.id,
      updated_at: sql<Date>`now()`,
    })
    .where('name', '=', options.name)
    .where('position', '=', options.from.position)
    .where('event_id', '=', options.from.id)
    .returning('name')
    .executeTakeFirst();
  return moved !== undefined;
};
