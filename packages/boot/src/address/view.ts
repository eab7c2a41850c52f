/** Networks as people read them: with ranges, routers, and how full each range is. */
import { HostwrightError } from '@hostwright/core';
import {
  listById,
  whereIdOrName,
  type Db,
  type Page,
  type PageWish,
  type Tx,
} from '@hostwright/engine';
import { sql } from 'kysely';
import { readAddress } from './number.ts';

export interface RangeView {
  readonly id: number;
  readonly name: string;
  readonly kind: 'host' | 'dhcp' | 'reserved';
  readonly subnet: string;
  readonly first: string;
  readonly last: string;
  readonly size: string;
  readonly held: number;
  readonly reserved: number;
  readonly quarantined: number;
}

export interface NetworkRow {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly category: 'admin' | 'bmc' | 'general' | 'unmanaged';
  readonly group: string;
  readonly domain: string;
  readonly vlan: number | null;
  readonly mtu: number | null;
  readonly conduit: string;
  readonly bondMode: BondMode | null;
  readonly bridge: boolean;
  readonly configure: boolean;
  readonly quarantineSeconds: number;
  readonly revision: number;
  readonly createdAt: Date;
}

export type BondMode =
  | 'balance-rr'
  | 'active-backup'
  | 'balance-xor'
  | 'broadcast'
  | '802.3ad'
  | 'balance-tlb'
  | 'balance-alb';

export interface NetworkView extends NetworkRow {
  readonly ranges: readonly RangeView[];
  readonly routers: readonly { readonly address: string; readonly pref: number }[];
}

const COLUMNS = sql`id, name, description, category, network_group as "group", domain, vlan, mtu, conduit,
  bond_mode as "bondMode", bridge, configure, quarantine_seconds as "quarantineSeconds", revision, created_at as "createdAt"`;

const sizeOf = (first: string, last: string): string => {
  const [low, high] = [readAddress(first), readAddress(last)];
  return low === null || high === null ? '0' : String(high.value - low.value + 1n);
};

const complete = async (db: Db | Tx, networks: readonly NetworkRow[]): Promise<NetworkView[]> => {
  const ids = networks.map((network) => network.id);
  const { rows: ranges } = await sql<Omit<RangeView, 'size'> & { networkId: number }>`
    select r.id, r.network_id as "networkId", r.name, r.kind, r.subnet::text as subnet, host(r.first) as first, host(r.last) as last,
      count(a.id) filter (where a.released_at is null and a.node_id is not null)::int as held,
      count(a.id) filter (where a.released_at is null and a.node_id is null)::int as reserved,
      count(a.id) filter (where a.quarantine_until > now())::int as quarantined
    from network_range r left join allocation a on a.range_id = r.id
    where r.network_id = any(${ids}::bigint[]) group by r.id order by r.first`.execute(db);
  const { rows: routers } = await sql<{ networkId: number; address: string; pref: number }>`
    select network_id as "networkId", host(address) as address, pref from router
    where network_id = any(${ids}::bigint[]) order by family(address), pref`.execute(db);
  return networks.map((network) => ({
    ...network,
    ranges: ranges
      .filter((range) => range.networkId === network.id)
      .map(({ networkId: _networkId, ...range }) => ({
        ...range,
        size: sizeOf(range.first, range.last),
      })),
    routers: routers
      .filter((router) => router.networkId === network.id)
      .map(({ address, pref }) => ({ address, pref })),
  }));
};

export const listNetworks = async (db: Db | Tx, wish: PageWish): Promise<Page<NetworkView>> => {
  const page = await listById<NetworkRow>(db, {
    name: 'network',
    columns: COLUMNS,
    from: sql`network`,
    id: sql`id`,
    where: [],
    descending: false,
    wish,
  });
  return { items: await complete(db, page.items), next: page.next };
};

export const needNetwork = async (
  db: Db | Tx,
  ref: string,
  options: { readonly lock?: boolean } = {},
): Promise<NetworkView> => {
  const { rows } = await sql<NetworkRow>`
    select ${COLUMNS} from network where ${whereIdOrName('network', ref)}
    ${options.lock === true ? sql`for update` : sql``}`.execute(db);
  const [network] = await complete(db, rows);
  if (network === undefined)
    throw new HostwrightError('not_found', {
      message: `there is no network ${ref.slice(0, 255)}`,
      public: { kind: 'network', name: ref.slice(0, 255) },
    });
  return network;
};

export const needRange = (network: NetworkView, ref: string): RangeView => {
  const range = network.ranges.find((one) => one.name === ref || String(one.id) === ref);
  if (range === undefined)
    throw new HostwrightError('not_found', {
      message: `network ${network.name} has no range ${ref.slice(0, 255)}`,
      public: { kind: 'range', name: ref.slice(0, 255) },
    });
  return range;
};
