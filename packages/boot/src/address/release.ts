/**
 * Gives addresses back. They stay unusable for the network's quarantine, because switches, caches
 * and the machine itself may go on using them for a while.
 */
import type { Tx } from '@hostwright/engine';
import { sql } from 'kysely';

export const releaseAddresses = async (
  tx: Tx,
  options: { readonly nodeId: number; readonly rangeId?: number },
): Promise<readonly string[]> => {
  const { rows } = await sql<{ address: string }>`
    update allocation a set released_at = now(), quarantine_until = now() + n.quarantine_seconds * interval '1 second'
    from network_range r join network n on n.id = r.network_id
    where r.id = a.range_id and a.node_id = ${options.nodeId} and a.released_at is null
      and (${options.rangeId ?? null}::bigint is null or a.range_id = ${options.rangeId ?? null}::bigint)
    returning host(a.address) as address`.execute(tx);
  return rows.map((row) => row.address);
};

/** Takes an address out of circulation for something that is no node. */
export const reserveAddress = async (
  tx: Tx,
  options: { readonly rangeId: number; readonly address: string; readonly note: string },
): Promise<number> => {
  const { id } = await tx
    .insertInto('allocation')
    .values({ range_id: options.rangeId, address: options.address, note: options.note })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
};
