/**
 * What the NICs of a node must become, as lines that a shell script reads without a parser: one per
 * network, nine plain words, `-` for none. Every word is made here from checked values.
 */
import type { Db, Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { isPlainWord } from '../valid.ts';
import { writeNodeLinks } from './read-links.ts';

export type LinkLines =
  | { readonly ok: true; readonly lines: readonly string[] }
  | { readonly ok: false; readonly reasons: readonly string[] };

interface NetworkRow {
  readonly id: number;
  readonly mtu: number | null;
  readonly configure: boolean;
  readonly addresses: string[];
  readonly routers: string[];
}

const readNetworks = async (db: Db | Tx, nodeId: number): Promise<readonly NetworkRow[]> => {
  const { rows } = await sql<NetworkRow>`
    select w.id, w.mtu, w.configure,
      array_agg(host(a.address) || '/' || masklen(r.subnet) order by a.address) as addresses,
      array(select host(t.address) || '@' || t.pref from router t where t.network_id = w.id order by family(t.address)) as routers
    from allocation a join network_range r on r.id = a.range_id join network w on w.id = r.network_id
    where a.node_id = ${nodeId} and a.released_at is null and w.conduit <> 'bmc'
    group by w.id order by w.id`.execute(db);
  return rows;
};

const word = (value: string | number | null): string =>
  value === null || value === '' ? '-' : String(value);

/** Decides about the NICs, for good, and says what they must become. */
export const writeLinkLines = async (tx: Tx, nodeId: number): Promise<LinkLines> => {
  const links = new Map((await writeNodeLinks(tx, nodeId)).map((link) => [link.networkId, link]));
  const lines: string[] = [];
  const reasons: string[] = [];
  for (const network of await readNetworks(tx, nodeId)) {
    const link = links.get(network.id);
    // without a conduit nothing says which NIC it is: its addresses are recorded and given by DHCP
    if (!network.configure || link === undefined) continue;
    if (link.error !== null) {
      reasons.push(`network ${link.network}: ${link.error}`);
      continue;
    }
    const words = [
      word(network.id),
      link.network,
      word(link.members.map((nic) => nic.mac).join(',')),
      word(link.members.length > 1 ? link.bondMode : null),
      word(link.vlan),
      word(network.mtu),
      word(link.bridge),
      word(network.addresses.join(',')),
      word(network.routers.join(',')),
    ];
    const odd = words.find((one) => !isPlainWord(one));
    if (odd === undefined) lines.push(words.join(' '));
    else reasons.push(`network ${link.network}: ${odd} is no plain word`);
  }
  return reasons.length > 0 ? { ok: false, reasons } : { ok: true, lines };
};
