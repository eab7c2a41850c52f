/**
 * How each network of a node is put on its NICs. What was decided once stays (table node_link): a NIC
 * that has lost its carrier reports another speed, and must not move a network to another port. Only
 * a machine that has lost a NIC for good is decided about again.
 */
import type { JsonObject } from '@hostwright/core';
import type { Db, Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { conduitsClash, resolveConduit } from './conduit.ts';
import { readNics, type ReportedNic } from './read-nics.ts';

export interface NodeLink {
  readonly networkId: number;
  readonly network: string;
  readonly conduit: string;
  readonly vlan: number | null;
  readonly bondMode: string | null;
  readonly bridge: string | null;
  readonly members: readonly ReportedNic[];
  /** Why the conduit does not fit this machine. */
  readonly error: string | null;
}

interface Row {
  readonly networkId: number;
  readonly network: string;
  readonly conduit: string;
  readonly vlan: number | null;
  readonly bondMode: string | null;
  readonly bridge: boolean;
  readonly decided: string[] | null;
  readonly facts: JsonObject;
}

/** Fifteen characters are what the kernel takes. */
const bridgeName = (networkId: number): string => `br${networkId}`;

const decide = (row: Row, nics: readonly ReportedNic[]): NodeLink => {
  const link = {
    networkId: row.networkId,
    network: row.network,
    conduit: row.conduit,
    vlan: row.vlan,
    bondMode: row.bondMode,
    bridge: row.bridge ? bridgeName(row.networkId) : null,
  };
  const found = (macs: readonly string[]) =>
    macs.flatMap((mac) => nics.find((nic) => nic.mac === mac) ?? []);
  const kept = found(row.decided ?? []);
  if (row.decided !== null && kept.length === row.decided.length)
    return { ...link, members: kept, error: null };
  if (nics.length === 0)
    return { ...link, members: [], error: 'the machine has not told its NICs' };
  const resolved = resolveConduit(row.conduit, nics);
  return resolved.ok
    ? { ...link, members: found(resolved.macs), error: null }
    : { ...link, members: [], error: resolved.reason };
};

/** Two networks share NICs wholly or not at all; of two that do not, the later one is at fault. */
const withoutClashes = (links: readonly NodeLink[]): readonly NodeLink[] =>
  links.map((link, index) => {
    const macs = link.members.map((nic) => nic.mac);
    const other = links.slice(0, index).find((one) =>
      conduitsClash(
        macs,
        one.members.map((nic) => nic.mac),
      ),
    );
    return other === undefined
      ? link
      : { ...link, members: [], error: `its NICs overlap those of network ${other.network}` };
  });

export const readNodeLinks = async (db: Db | Tx, nodeId: number): Promise<readonly NodeLink[]> => {
  const { rows } = await sql<Row>`
    select w.id as "networkId", w.name as network, w.conduit, w.vlan, w.bond_mode as "bondMode", w.bridge,
      l.members as decided, n.discovery as facts
    from node n join network w on w.conduit not in ('', 'bmc')
    left join node_link l on l.node_id = n.id and l.network_id = w.id and l.conduit = w.conduit
    where n.id = ${nodeId} and exists (
      select 1 from allocation a join network_range r on r.id = a.range_id
      where a.node_id = n.id and a.released_at is null and r.network_id = w.id)
    order by w.id`.execute(db);
  const nics = readNics(rows[0]?.facts);
  return withoutClashes(rows.map((row) => decide(row, nics)));
};

/** Decides for good; what was decided before stays. Says what it decided now. */
export const writeNodeLinks = async (tx: Tx, nodeId: number): Promise<readonly NodeLink[]> => {
  const links = await readNodeLinks(tx, nodeId);
  for (const link of links) {
    if (link.error !== null) continue;
    const members = link.members.map((nic) => nic.mac);
    await sql`
      insert into node_link (node_id, network_id, conduit, members, bond_mode, bridge, vlan)
      values (${nodeId}, ${link.networkId}, ${link.conduit}, ${members}::text[], ${link.bondMode}, ${link.bridge}, ${link.vlan})
      on conflict (node_id, network_id) do update set conduit = excluded.conduit, members = excluded.members,
        bond_mode = excluded.bond_mode, bridge = excluded.bridge, vlan = excluded.vlan
      where (node_link.conduit, node_link.members, node_link.bond_mode, node_link.bridge, node_link.vlan)
        is distinct from (excluded.conduit, excluded.members, excluded.bond_mode, excluded.bridge, excluded.vlan)`.execute(
      tx,
    );
  }
  return links;
};
