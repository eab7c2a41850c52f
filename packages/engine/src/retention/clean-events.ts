/**
 * Drops old events, whole batches from the lowest position up, and raises the floor in the same
 * transaction: a reader that comes later from below it is told that it has lost some.
 */
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { raiseFloor } from '../event/floor.ts';

export const cleanEvents = async (
  db: Db,
  options: {
    readonly days: number;
    readonly chunk: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<number> => {
  let all = 0;
  for (;;) {
    if (options.signal?.aborted === true) return all;
    const events = await transaction(db, async (tx) => {
      // A batch is old when its newest event is; batches are placed in about that order.
      const { rows } = await sql<{ events: number; floor: number | null }>`
        with lowest as materialized (
          select b.id, b.position, (select max(e.at) from event e where e.batch_id = b.id) as at
          from event_batch b where b.position is not null order by b.position limit ${Math.max(1, Math.floor(options.chunk / 5))}
        ), old as materialized (
          select id, position from lowest l where not exists (
            select 1 from lowest young where young.position <= l.position and young.at >= now() - make_interval(secs => ${options.days * 86_400}::float8))
        ), gone as (
          delete from event e using old where e.batch_id = old.id returning 1
        ), batches as (
          delete from event_batch b using old where b.id = old.id returning b.position
        )
        select (select count(*)::int from gone) as events, (select max(position) from batches) as floor`.execute(
        tx,
      );
      const floor = rows[0]?.floor ?? null;
      if (floor !== null) await raiseFloor(tx, floor);
      return floor === null ? undefined : (rows[0]?.events ?? 0);
    });
    if (events === undefined) return all;
    all += events;
  }
};
