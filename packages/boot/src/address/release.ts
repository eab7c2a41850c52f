/**
 * Gives addresses back. They stay unusable for the network's quarantine, because switches, caches
 * and the machine itself may go on using them for a while.
 */
import { HostwrightError, type Refusal } from '@hostwright/core';
import type { Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { addressCandidates } from './candidates.ts';
import { findHolder } from './find-holder.ts';

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

export interface Released {
  readonly address: string;
  readonly quarantineUntil: Date | null;
}

/** One address, by the id of its allocation. Without a quarantine it is free at once. */
export const releaseAllocation = async (
  tx: Tx,
  options: { readonly id: number; readonly quarantineSeconds?: number | undefined },
): Promise<Released> => {
  const { rows } = await sql<{ address: string; released: boolean; seconds: number }>`
    select host(a.address) as address, a.released_at is not null as released, n.quarantine_seconds as seconds
    from allocation a join network_range r on r.id = a.range_id join network n on n.id = r.network_id
    where a.id = ${options.id} for update of a`.execute(tx);
  const [row] = rows;
  const seconds = options.quarantineSeconds ?? row?.seconds ?? 0;
  if (row === undefined || (row.released && seconds > 0))
    throw new HostwrightError(row === undefined ? 'not_found' : 'conflict', {
      message:
        row === undefined
          ? `there is no allocation ${options.id}`
          : `${row.address} is in quarantine already`,
    });
  if (seconds === 0) {
    await tx.deleteFrom('allocation').where('id', '=', options.id).execute();
    return { address: row.address, quarantineUntil: null };
  }
  const { until } = await tx
    .updateTable('allocation')
    .set({
      released_at: sql<Date>`now()`,
      quarantine_until: sql<Date>`now() + ${seconds} * interval '1 second'`,
    })
    .where('id', '=', options.id)
    .returning('quarantine_until as until')
    .executeTakeFirstOrThrow();
  return { address: row.address, quarantineUntil: until };
};

export type Reserved =
  | { readonly ok: true; readonly id: number }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

/** Takes an address out of circulation for something that is no node. */
export const reserveAddress = async (
  tx: Tx,
  options: { readonly rangeId: number; readonly address: string; readonly note: string },
): Promise<Reserved> => {
  const { rows } = await sql<{ name: string; subnet: string; first: string; last: string }>`
    select name, subnet::text as subnet, host(first) as first, host(last) as last
    from network_range where id = ${options.rangeId} for update`.execute(tx);
  const [range] = rows;
  if (range === undefined)
    throw new HostwrightError('not_found', { message: 'there is no such range' });
  const found = addressCandidates(range, { hint: options.address });
  if (!found.ok)
    return {
      ok: false,
      refusals: found.refusals.map((refusal) => ({ ...refusal, path: 'address' })),
    };
  const address = found.candidates[0]?.address ?? options.address;
  const holder = await findHolder(tx, address);
  if (holder !== null)
    return {
      ok: false,
      refusals: [{ code: 'address_taken', path: 'address', message: `${address} is ${holder}` }],
    };
  // a quarantine that is over leaves its row until the address is wanted again
  await tx
    .deleteFrom('allocation')
    .where('address', '=', address)
    .where('quarantine_until', '<=', sql<Date>`now()`)
    .execute();
  const { id } = await tx
    .insertInto('allocation')
    .values({ range_id: options.rangeId, address, note: options.note })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { ok: true, id };
};
