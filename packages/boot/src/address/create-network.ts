/** Networks with their ranges and routers, written in one go; what is wrong with them comes back all at once. */
import { HostwrightError, type Refusal } from '@hostwright/core';
import type { Tx } from '@hostwright/engine';
import { isDnsName } from '../valid.ts';
import { readConduit } from '../link/conduit.ts';
import { findOverlaps } from './find-overlaps.ts';
import { readAddress, readSubnet, writeSubnet } from './number.ts';

export interface RangeSpec {
  readonly name: string;
  readonly kind?: 'host' | 'dhcp' | 'reserved';
  readonly subnet: string;
  readonly first: string;
  readonly last: string;
}

export interface NetworkSpec {
  readonly name: string;
  readonly description?: string;
  readonly category?: 'admin' | 'bmc' | 'general' | 'unmanaged';
  readonly group?: string;
  readonly domain?: string;
  readonly vlan?: number;
  readonly mtu?: number;
  readonly conduit?: string;
  readonly bondMode?: string;
  readonly bridge?: boolean;
  readonly configure?: boolean;
  readonly quarantineSeconds?: number;
  readonly ranges: readonly RangeSpec[];
  readonly routers?: readonly { readonly address: string; readonly pref?: number }[];
}

export const checkNetwork = (spec: NetworkSpec): readonly Refusal[] => {
  const refusals: Refusal[] = [];
  const refuse = (path: string, message: string) =>
    refusals.push({ code: 'bad_network', path, message });
  if (!/^[a-z][a-z0-9-]{0,62}$/.test(spec.name))
    refuse('name', 'the name takes lower case letters, digits and dashes, a letter first');
  if (spec.domain !== undefined && spec.domain !== '' && !isDnsName(spec.domain))
    refuse('domain', `${spec.domain} is no domain name`);
  if (spec.vlan !== undefined && !(spec.vlan >= 1 && spec.vlan <= 4094))
    refuse('vlan', `a VLAN is 1 to 4094, not ${spec.vlan}`);
  const conduit = readConduit(spec.conduit ?? '');
  if (!conduit.ok) refuse('conduit', conduit.reason);
  else if (conduit.members.length > 1 && spec.bondMode === undefined)
    refuse('bondMode', 'a conduit of several members needs a bond mode');
  const seen: { name: string; first: bigint; last: bigint; family: number }[] = [];
  const subnets: { family: number; base: bigint; size: bigint }[] = [];
  for (const [index, range] of spec.ranges.entries()) {
    const path = `ranges/${index}`;
    const of = `range ${range.name}`;
    const subnet = readSubnet(range.subnet);
    const first = readAddress(range.first);
    const last = readAddress(range.last);
    if (subnet === null) {
      refuse(`${path}/subnet`, `${of}: ${range.subnet} is no subnet`);
      continue;
    }
    if (first === null) {
      refuse(`${path}/first`, `${of}: ${range.first} is no address`);
      continue;
    }
    if (last === null) {
      refuse(`${path}/last`, `${of}: ${range.last} is no address`);
      continue;
    }
    const size = 1n << BigInt((subnet.family === 4 ? 32 : 128) - subnet.length);
    subnets.push({ family: subnet.family, base: subnet.base, size });
    if (seen.some((other) => other.name === range.name))
      refuse(`${path}/name`, `two ranges have the name ${range.name}`);
    const inside = (value: bigint) => value >= subnet.base && value < subnet.base + size;
    if (first.family !== subnet.family || !inside(first.value))
      refuse(
        `${path}/first`,
        `${of}: ${range.first} lies outside the subnet ${writeSubnet(subnet)}`,
      );
    if (last.family !== subnet.family || !inside(last.value))
      refuse(`${path}/last`, `${of}: ${range.last} lies outside the subnet ${writeSubnet(subnet)}`);
    if (first.value > last.value)
      refuse(
        `${path}/last`,
        `${of}: its last address ${range.last} comes before its first, ${range.first}`,
      );
    const hasEnds = subnet.family === 4 && size > 2n;
    if (hasEnds && first.value === subnet.base)
      refuse(`${path}/first`, `${of}: ${range.first} is the address of the subnet itself`);
    if (hasEnds && last.value === subnet.base + size - 1n)
      refuse(
        `${path}/last`,
        `${of}: ${range.last} is the broadcast address of ${writeSubnet(subnet)}`,
      );
    const clash = seen.find(
      (other) =>
        other.family === first.family && other.first <= last.value && first.value <= other.last,
    );
    if (clash !== undefined) {
      const end = clash.first <= first.value && first.value <= clash.last ? 'first' : 'last';
      refuse(`${path}/${end}`, `${of} overlaps range ${clash.name} of this network`);
    }
    seen.push({ name: range.name, first: first.value, last: last.value, family: first.family });
  }
  spec.routers?.forEach((router, index) => {
    const address = readAddress(router.address);
    if (address === null)
      refuse(`routers/${index}/address`, `the router ${router.address} is no address`);
    else {
      const reachable = subnets.filter((subnet) => subnet.family === address.family);
      const { value } = address;
      if (
        reachable.length > 0 &&
        !reachable.some(({ base, size }) => value >= base && value < base + size)
      )
        refuse(
          `routers/${index}/address`,
          `the router ${router.address} lies in no subnet of the network`,
        );
    }
  });
  return refusals;
};

/** A range that was checked, as its row. An address of the subnet may stand for the subnet. */
export const rangeRow = ({ name, kind, subnet, first, last }: RangeSpec) => {
  const read = readSubnet(subnet);
  return {
    name,
    kind: kind ?? ('host' as const),
    subnet: read === null ? subnet : writeSubnet(read),
    first,
    last,
  };
};

export type CreateNetworkResult =
  | {
      readonly ok: true;
      readonly networkId: number;
      readonly rangeIds: Readonly<Record<string, number>>;
    }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

export const createNetwork = async (tx: Tx, spec: NetworkSpec): Promise<CreateNetworkResult> => {
  const wrong = checkNetwork(spec);
  const refusals =
    wrong.length > 0 ? wrong : await findOverlaps(tx, { ranges: spec.ranges, network: spec.name });
  if (refusals.length > 0) return { ok: false, refusals };
  const { id } = await tx
    .insertInto('network')
    .values({
      name: spec.name,
      description: spec.description ?? '',
      category: spec.category ?? 'general',
      network_group: spec.group ?? '',
      domain: spec.domain ?? '',
      vlan: spec.vlan ?? null,
      mtu: spec.mtu ?? null,
      conduit: spec.conduit ?? '',
      bond_mode: spec.bondMode ?? null,
      bridge: spec.bridge ?? false,
      configure: spec.configure ?? true,
      quarantine_seconds: spec.quarantineSeconds ?? 86_400,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const rangeIds: Record<string, number> = {};
  for (const range of spec.ranges) {
    const made = await tx
      .insertInto('network_range')
      .values({ network_id: id, ...rangeRow(range) })
      .returning('id')
      .executeTakeFirstOrThrow();
    rangeIds[range.name] = made.id;
  }
  for (const router of spec.routers ?? []) {
    await tx
      .insertInto('router')
      .values({ network_id: id, address: router.address, pref: router.pref ?? 100 })
      .execute();
  }
  return { ok: true, networkId: id, rangeIds };
};

/** Makes the network unless one of that name is there; says whether it made it. */
export const ensureNetwork = async (tx: Tx, spec: NetworkSpec): Promise<boolean> => {
  const known = await tx
    .selectFrom('network')
    .select('id')
    .where('name', '=', spec.name)
    .executeTakeFirst();
  if (known !== undefined) return false;
  const made = await createNetwork(tx, spec);
  if (!made.ok)
    throw new HostwrightError('bad_input', {
      message: 'the network is not valid',
      refusals: made.refusals,
    });
  return true;
};
