/**
 * Gives committed batches their positions, the order in which everybody reads. Any process may do
 * it at any time; an advisory lock makes it one at a time, so positions appear in their own order.
 *
 * Batches placed together are ordered by the last event each holds, not by batch id. Two
 * transactions that changed the same row held its lock one after the other, so every event of the
 * first is older than the second's event about that row; a transaction that opened its batch early
 * and then waited for that lock must still come second.
 */
import { sql } from 'kysely';
import { LOCKS } from '../db/locks.ts';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';

export interface Sequenced {
  readonly placed: number;
  /** False: another process was at it. Whoever that was is told of the same commits. */
  readonly held: boolean;
}

export const sequenceEvents = async (
  db: Db,
  options: { readonly wait?: 'for-lock' | 'never' } = {},
): Promise<Sequenced> =>
  transaction(db, async (tx) => {
    if (options.wait === 'never') {
      const { rows } = await sql<{ held: boolean }>`
        select pg_try_advisory_xact_lock(${LOCKS.sequenceEvents}) as held`.execute(tx);
      if (rows[0]?.held !== true) return { placed: 0, held: false };
    } else {
      await sql`select pg_advisory_xact_lock(${LOCKS.sequenceEvents})`.execute(tx);
    }
    // A statement of its own, so that its snapshot is taken under the lock.
    const { rows } = await sql<{ placed: number }>`
      with unplaced as materialized (
        select b.id from event_batch b where b.position is null
        order by (
          select e.id from event e where (e.batch_id, e.id) > (b.id, 0) and (e.batch_id, e.id) < (b.id + 1, 0)
          order by e.batch_id desc, e.id desc limit 1
        ) nulls first, b.id
      ), numbered as materialized (
        select id, nextval('event_position') as position from unplaced
      ), done as (
        update event_batch b set position = n.position from numbered n where b.id = n.id returning b.position
      )
      select count(*)::int as placed,
        case when count(*) > 0 then pg_notify('hostwright_sequenced', max(position)::text) end
      from done`.execute(tx);
    return { placed: rows[0]?.placed ?? 0, held: true };
  });
