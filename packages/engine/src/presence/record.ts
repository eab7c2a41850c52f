/**
 * Who was heard of since the last call. Servers collect polls and write them together every few
 * seconds: ten thousand polls make one statement, no events, and rows that are fresh are left
 * alone. Call it also when nobody was heard of: it says that a server listens, without which
 * silence means nothing.
 */
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';

export const HEARD_KEY = 'presence.heard';

export const recordPresence = async (db: Db, nodeIds: Iterable<number>): Promise<void> => {
  const ids = [...new Set(nodeIds)].toSorted((a, b) => a - b);
  await sql`
    insert into setting (key, value) values (${HEARD_KEY}, to_jsonb(now()))
    on conflict (key) do update set value = excluded.value, updated_at = now()`.execute(db);
  if (ids.length === 0) return;
  await sql`
    insert into node_presence (node_id, last_seen_at)
    select n.id, now() from unnest(${ids}::bigint[]) t(id) join node n on n.id = t.id and n.deleted_at is null
    order by n.id
    on conflict (node_id) do update set last_seen_at = excluded.last_seen_at, missed = 0
    where node_presence.missed > 0 or node_presence.last_seen_at < now() - interval '3 seconds'`.execute(
    db,
  );
};
