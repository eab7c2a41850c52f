/**
 * What DHCP and DNS must know of a node, for the nodes of which a server is behind. Data and version
 * come from one snapshot of the database, so an acknowledged version is never older than its data.
 */
import type { Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { readNameFilters } from '../name/read-filters.ts';
import { renderNames, type NameFilter } from '../name/render-names.ts';
import { isDnsName, readMac } from '../valid.ts';

export interface NodeAddress {
  readonly address: string;
  readonly subnet: string;
  readonly category: string;
  readonly names: readonly string[];
}

export interface NodeData {
  readonly nodeId: number;
  readonly version: number;
  readonly name: string;
  readonly removed: boolean;
  readonly macs: readonly string[];
  /** Boots from its disk: servers that can say so per node offer it no loader. */
  readonly local: boolean;
  readonly addresses: readonly NodeAddress[];
  /** Public SSH host keys, as its agent found them. */
  readonly hostKeys: readonly string[];
  /** What cannot be served; the rest of the node, and all other nodes, are. */
  readonly errors: readonly string[];
  /** What the server holds is not what it was sent last: it refused that, and must be asked again. */
  readonly refused: boolean;
}

interface Row {
  readonly node_id: number;
  readonly version: number;
  readonly name: string;
  readonly removed: boolean;
  readonly macs: string[];
  readonly bootenv: string;
  readonly deployment: string;
  readonly labels: Record<string, unknown>;
  readonly roles: string[];
  readonly host_keys: unknown;
  readonly refused: boolean;
  readonly addresses: {
    address: string;
    subnet: string;
    network: string;
    category: string;
    domain: string;
    range: string;
  }[];
}

export interface BehindOptions {
  readonly serverId: number;
  /** Versions above this one. */
  readonly after: number;
  readonly limit: number;
}

const readRows = async (
  tx: Tx,
  { serverId, after, limit }: BehindOptions,
): Promise<readonly Row[]> => {
  const { rows } = await sql<Row>`
    with behind as (
      select node_id, version from boot_behind where server_id = ${serverId} and version > ${after} order by version limit ${limit})
    select b.node_id, b.version, a.refused is not null as refused, n.name, n.deleted_at is not null as removed, n.macs, n.bootenv, d.name as deployment, n.labels,
      n.discovery -> 'ssh_host_keys' as host_keys,
      array(select r.name from noderole nr join role r on r.id = nr.role_id where nr.node_id = n.id) as roles,
      coalesce((select jsonb_agg(jsonb_build_object('address', host(l.address), 'subnet', g.subnet::text, 'network', w.name,
          'category', w.category, 'domain', w.domain, 'range', g.name) order by l.id)
        from allocation l join network_range g on g.id = l.range_id join network w on w.id = g.network_id
        where l.node_id = n.id and l.released_at is null), '[]') as addresses
    from behind b join node n on n.id = b.node_id join deployment d on d.id = n.deployment_id
    left join boot_ack a on a.server_id = ${serverId} and a.node_id = b.node_id
    order by b.version`.execute(tx);
  return rows;
};

const toNodeData = (row: Row, filters: readonly NameFilter[]): NodeData => {
  const errors: string[] = [];
  const macs = row.macs.flatMap((text) => readMac(text) ?? []);
  if (macs.length < row.macs.length) errors.push('a MAC of the node is not valid');
  if (!isDnsName(row.name)) errors.push('the name of the node is no host name');
  const addresses = row.addresses.map(({ address, subnet, network, category, domain, range }) => {
    const rendered = renderNames(filters, {
      node: {
        id: row.node_id,
        name: row.name,
        mac: macs[0] ?? '',
        deployment: row.deployment,
        roles: row.roles,
        labels: row.labels,
      },
      network: { name: network, category, domain },
      range: { name: range },
    });
    errors.push(...rendered.errors);
    return { address, subnet, category, names: rendered.names };
  });
  return {
    nodeId: row.node_id,
    version: row.version,
    name: row.name,
    removed: row.removed,
    macs,
    local: row.bootenv === 'local',
    addresses: row.removed ? [] : addresses,
    hostKeys: Array.isArray(row.host_keys)
      ? row.host_keys.filter((key) => typeof key === 'string').slice(0, 16)
      : [],
    errors,
    refused: row.refused,
  };
};

export const readNodesBehind = async (
  tx: Tx,
  options: BehindOptions,
): Promise<readonly NodeData[]> => {
  const filters = await readNameFilters(tx);
  return (await readRows(tx, options)).map((row) => toNodeData(row, filters));
};
