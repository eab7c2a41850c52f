/**
 * Nodes x networks for a page that shows all of them: three statements, columns instead of rows.
 * Ids travel as float8, because the driver leaves arrays of bigint as texts.
 */
import type { Db } from '@hostwright/engine';
import { sql } from 'kysely';

export interface MatrixNetwork {
  readonly id: number;
  readonly name: string;
  readonly category: 'admin' | 'bmc' | 'general' | 'unmanaged';
  readonly vlan: number | null;
  readonly conduit: string;
}

export interface NetworkMatrix {
  readonly networks: readonly MatrixNetwork[];
  readonly ranges: readonly {
    readonly id: number;
    readonly name: string;
    readonly network: number;
  }[];
  readonly ids: readonly number[];
  readonly names: readonly string[];
  readonly allocation: readonly number[];
  readonly node: readonly number[];
  readonly network: readonly number[];
  readonly range: readonly number[];
  readonly address: readonly string[];
}

interface Cells {
  readonly allocation: number[] | null;
  readonly node: number[] | null;
  readonly range: number[] | null;
  readonly address: string[] | null;
}

export const readNetworkMatrix = async (
  db: Db,
  options: { readonly bare: boolean },
): Promise<NetworkMatrix> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const { rows: networks } =
        await sql<MatrixNetwork>`select id, name, category, vlan, conduit from network order by name`.execute(
          tx,
        );
      const { rows: ranges } = await sql<{ id: number; name: string; network: number }>`
        select id, name, network_id as network from network_range order by first`.execute(tx);
      const nodes = await sql<{ ids: number[] | null; names: string[] | null }>`
        select array_agg(n.id::float8 order by n.name) as ids, array_agg(n.name order by n.name) as names from node n
        where n.deleted_at is null and (${options.bare} or exists (
          select 1 from allocation a where a.node_id = n.id and a.released_at is null))`.execute(
        tx,
      );
      const cells = await sql<Cells>`
        select array_agg(a.id::float8 order by a.address) as allocation, array_agg(a.node_id::float8 order by a.address) as node,
          array_agg(a.range_id::float8 order by a.address) as range, array_agg(host(a.address) order by a.address) as address
        from allocation a join node n on n.id = a.node_id and n.deleted_at is null where a.released_at is null`.execute(
        tx,
      );
      const [{ ids, names } = { ids: null, names: null }] = nodes.rows;
      const [found] = cells.rows;
      const networkAt = new Map(networks.map((network, index) => [network.id, index]));
      const rangeAt = new Map(ranges.map((range, index) => [range.id, index]));
      const nodeAt = new Map((ids ?? []).map((id, index) => [id, index]));
      const range = (found?.range ?? []).map((id) => rangeAt.get(id) ?? -1);
      const placed = ranges.map((one) => ({ ...one, network: networkAt.get(one.network) ?? -1 }));
      return {
        networks,
        ranges: placed,
        ids: ids ?? [],
        names: names ?? [],
        allocation: found?.allocation ?? [],
        node: (found?.node ?? []).map((id) => nodeAt.get(id) ?? -1),
        network: range.map((index) => placed[index]?.network ?? -1),
        range,
        address: found?.address ?? [],
      };
    });
