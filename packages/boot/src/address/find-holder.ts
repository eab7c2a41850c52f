/** Who keeps an address from being given: a node, a reservation, a quarantine, a router. Null = it is free. */
import type { Tx } from '@hostwright/engine';
import { sql } from 'kysely';

export const findHolder = async (tx: Tx, address: string): Promise<string | null> => {
  const { rows } = await sql<{ holder: string }>`
    select case when a.released_at is not null then 'quarantined until ' || to_char(a.quarantine_until at time zone 'utc', 'YYYY-MM-DD HH24:MI "UTC"')
                when n.id is not null then 'held by node ' || n.name else 'reserved: ' || a.note end as holder
    from allocation a left join node n on n.id = a.node_id
    where a.address = ${address}::inet and (a.quarantine_until is null or a.quarantine_until > now())
    union all
    select 'the router of its network' from router where address = ${address}::inet`.execute(tx);
  return rows[0]?.holder ?? null;
};
