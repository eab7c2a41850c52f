/**
 * Gives a node its address in a range. The range row is locked before anything is looked at: two
 * callers for one node get the same address (C15), two nodes never the same one (C16); unique
 * indexes stand behind. Asking again returns what the node has.
 */
import { HostwrightError, type Refusal } from '@hostwright/core';
import type { Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { addressCandidates, type Candidate } from './candidates.ts';
import { findHolder } from './find-holder.ts';

export interface Allocation {
  readonly id: number;
  readonly address: string;
  readonly why: string;
  readonly fresh: boolean;
}

export type AllocateResult =
  | { readonly ok: true; readonly allocation: Allocation }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

export interface AllocateOptions {
  readonly nodeId: number;
  readonly rangeId: number;
  readonly hint?: string;
}

const refusal = (code: string, message: string): AllocateResult => ({
  ok: false,
  refusals: [{ code, path: 'address', message }],
});

/** One index step per gap: flat however many addresses the range has given out. */
const lowestFree = async (tx: Tx, rangeId: number): Promise<string | null> => {
  const { rows } = await sql<{ address: string }>`
    with r as (select first, last, subnet from network_range where id = ${rangeId}),
    ends as (
      select case when family(first) = 4 and masklen(subnet) < 31 and first = host(network(subnet))::inet then first + 1 else first end as low,
             case when family(first) = 4 and masklen(subnet) < 31 and last = host(broadcast(subnet))::inet then last - 1 else last end as high
      from r),
    blocked as (
      select address from allocation where range_id = ${rangeId} and (quarantine_until is null or quarantine_until > now())
      union select address from router where address between (select low from ends) and (select high from ends))
    select host(c.address) as address from (
      select low as address from ends where not exists (select 1 from blocked b where b.address = ends.low)
      union all
      (select b.address + 1 from blocked b, ends
        where b.address >= ends.low and b.address < ends.high
          and not exists (select 1 from blocked n where n.address = b.address + 1)
        order by b.address limit 1)
    ) c order by c.address limit 1`.execute(tx);
  return rows[0]?.address ?? null;
};

const choose = async (
  tx: Tx,
  rangeId: number,
  candidates: readonly Candidate[],
): Promise<{ address: string; why: string } | AllocateResult> => {
  for (const candidate of candidates) {
    const holder = await findHolder(tx, candidate.address);
    if (holder === null) return candidate;
    if (candidate.must) return refusal('address_taken', `${candidate.address} is ${holder}`);
  }
  const lowest = await lowestFree(tx, rangeId);
  return lowest === null
    ? refusal('range_full', 'the range has no free address')
    : { address: lowest, why: 'lowest free' };
};

export const allocateAddress = async (
  tx: Tx,
  options: AllocateOptions,
): Promise<AllocateResult> => {
  const range = await tx
    .selectFrom('network_range')
    .innerJoin('network', 'network.id', 'network_range.network_id')
    .select([
      'network_range.name',
      'network_range.kind',
      'network.network_group',
      'network.category',
    ])
    .select([
      sql<string>`host(first)`.as('first'),
      sql<string>`host(last)`.as('last'),
      sql<string>`subnet::text`.as('subnet'),
    ])
    .where('network_range.id', '=', options.rangeId)
    .forUpdate('network_range')
    .executeTakeFirst();
  if (range === undefined)
    throw new HostwrightError('not_found', { message: 'there is no such range' });
  if (range.kind !== 'host')
    return refusal('range_not_for_nodes', `range ${range.name} is of kind ${range.kind}`);
  const held = await tx
    .selectFrom('allocation')
    .select(['id', sql<string>`host(address)`.as('address')])
    .where('node_id', '=', options.nodeId)
    .where('range_id', '=', options.rangeId)
    .where('released_at', 'is', null)
    .executeTakeFirst();
  if (held !== undefined) {
    if (options.hint !== undefined && options.hint !== held.address) {
      return refusal('has_address', `the node has ${held.address} in this range; release it first`);
    }
    return { ok: true, allocation: { ...held, why: 'held already', fresh: false } };
  }
  const node = await tx
    .selectFrom('node')
    .select('name')
    .where('id', '=', options.nodeId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (node === undefined)
    throw new HostwrightError('not_found', { message: 'there is no such node' });
  const like = await tx
    .selectFrom('allocation')
    .innerJoin('network_range', 'network_range.id', 'allocation.range_id')
    .innerJoin('network', 'network.id', 'network_range.network_id')
    .select([sql<string>`host(address)`.as('address'), sql<string>`subnet::text`.as('subnet')])
    .where('allocation.node_id', '=', options.nodeId)
    .where('allocation.released_at', 'is', null)
    .where('network.network_group', '=', range.network_group)
    .where('network.network_group', '<>', '')
    .where(sql<boolean>`family(address) = family(${range.first}::inet)`)
    .orderBy('allocation.id')
    .executeTakeFirst();
  const found = addressCandidates(range, {
    nodeName: node.name,
    ...(options.hint !== undefined && { hint: options.hint }),
    ...(like !== undefined && { like }),
  });
  if (!found.ok) return found;
  const chosen = await choose(tx, options.rangeId, found.candidates);
  if ('ok' in chosen) return chosen;
  // a quarantine that is over leaves its row until the address is wanted again
  await tx
    .deleteFrom('allocation')
    .where('address', '=', chosen.address)
    .where('quarantine_until', '<=', sql<Date>`now()`)
    .execute();
  const { id } = await tx
    .insertInto('allocation')
    .values({ node_id: options.nodeId, range_id: options.rangeId, address: chosen.address })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { ok: true, allocation: { id, address: chosen.address, why: chosen.why, fresh: true } };
};
