/**
 * Which addresses allocations would give, without giving any: what a plan tells. The choice is the one
 * `allocateAddress` makes, in the same order, so that what is told is what is done.
 */
import type { Db, Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { addressCandidates } from './candidates.ts';
import { readAddress, readSubnet, writeAddress, type AddressNumber } from './number.ts';

export interface ForeseeRequest {
  readonly nodeId: number;
  readonly node: string;
  readonly network: string;
  readonly range: string;
  readonly address?: string;
}

export type Foreseen =
  | {
      readonly ok: true;
      readonly rangeId: number;
      readonly address: string;
      readonly why: string;
      readonly held: boolean;
      readonly category: string;
      readonly domain: string;
    }
  | { readonly ok: false; readonly reason: string };

interface RangeRow {
  readonly id: number;
  readonly network: string;
  readonly name: string;
  readonly kind: string;
  readonly subnet: string;
  readonly first: string;
  readonly last: string;
  readonly group: string;
  readonly category: string;
  readonly domain: string;
}
interface TakenRow {
  readonly rangeId: number | null;
  readonly nodeId: number | null;
  readonly address: string;
  readonly released: boolean;
}

const readRanges = async (db: Db | Tx, networks: readonly string[]) => {
  const { rows } = await sql<RangeRow>`
    select r.id, w.name as network, r.name, r.kind, r.subnet::text as subnet, host(r.first) as first, host(r.last) as last,
      w.network_group as "group", w.category, w.domain
    from network_range r join network w on w.id = r.network_id`.execute(db);
  const { rows: taken } = await sql<TakenRow>`
    select a.range_id as "rangeId", a.node_id as "nodeId", host(a.address) as address, a.released_at is not null as released
    from allocation a join network_range r on r.id = a.range_id join network w on w.id = r.network_id
    where (a.quarantine_until is null or a.quarantine_until > now())
      and (w.name = any(${[...networks]}::text[]) or w.network_group <> '')
    union all select null, null, host(address), false from router`.execute(db);
  return { ranges: rows, taken };
};

/** From where it was left off: a plan for ten thousand nodes walks each range once. */
const lowestFree = (
  range: RangeRow,
  taken: ReadonlySet<string>,
  left: Map<number, bigint>,
): string | null => {
  const subnet = readSubnet(range.subnet);
  const [first, last] = [readAddress(range.first), readAddress(range.last)];
  if (subnet === null || first === null || last === null) return null;
  const at = (value: bigint): AddressNumber => ({ family: subnet.family, value });
  const whole = 1n << BigInt((subnet.family === 4 ? 32 : 128) - subnet.length);
  const guarded = subnet.family === 4 && subnet.length < 31;
  for (let value = left.get(range.id) ?? first.value; value <= last.value; value++) {
    if (guarded && (value === subnet.base || value === subnet.base + whole - 1n)) continue;
    const address = writeAddress(at(value));
    if (taken.has(address)) continue;
    left.set(range.id, value);
    return address;
  }
  return null;
};

export const foreseeAllocations = async (
  db: Db | Tx,
  requests: readonly ForeseeRequest[],
): Promise<readonly Foreseen[]> => {
  if (requests.length === 0) return [];
  const { ranges, taken: rows } = await readRanges(db, [
    ...new Set(requests.map((request) => request.network)),
  ]);
  const taken = new Set(rows.map((row) => row.address));
  const held = new Map<string, string>();
  for (const row of rows)
    if (row.nodeId !== null && row.rangeId !== null && !row.released)
      held.set(`${row.nodeId}@${row.rangeId}`, row.address);

  const left = new Map<number, bigint>();
  const foresee = (request: ForeseeRequest): Foreseen => {
    const range = ranges.find(
      (one) => one.network === request.network && one.name === request.range,
    );
    if (range === undefined)
      return { ok: false, reason: `there is no range ${request.network}/${request.range}` };
    if (range.kind !== 'host')
      return { ok: false, reason: `range ${range.name} is of kind ${range.kind}` };
    const about = { rangeId: range.id, category: range.category, domain: range.domain };
    const has = held.get(`${request.nodeId}@${range.id}`);
    if (has !== undefined)
      return request.address === undefined || request.address === has
        ? { ok: true, ...about, address: has, why: 'held already', held: true }
        : { ok: false, reason: `the node has ${has} in this range; release it first` };
    const like = ranges
      .filter((one) => one.group !== '' && one.group === range.group)
      .flatMap((one) => {
        const address = held.get(`${request.nodeId}@${one.id}`);
        return address === undefined ? [] : [{ address, subnet: one.subnet }];
      })
      .find((one) => one.address.includes(':') === range.first.includes(':'));
    const found = addressCandidates(range, {
      nodeName: request.node,
      ...(request.address !== undefined && { hint: request.address }),
      ...(like !== undefined && { like }),
    });
    if (!found.ok)
      return { ok: false, reason: found.refusals.map((one) => one.message).join('; ') };
    const free = found.candidates.find((candidate) => !taken.has(candidate.address));
    if (free === undefined && found.candidates.some((candidate) => candidate.must))
      return { ok: false, reason: `${request.address ?? ''} is taken` };
    const address = free?.address ?? lowestFree(range, taken, left);
    if (address === null) return { ok: false, reason: 'the range has no free address' };
    taken.add(address);
    held.set(`${request.nodeId}@${range.id}`, address);
    return { ok: true, ...about, address, why: free?.why ?? 'lowest free', held: false };
  };
  return requests.map(foresee);
};
