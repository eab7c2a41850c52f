/**
 * Changes a network, its ranges and its routers. Each change is checked as the whole network would be
 * afterwards; triggers give every node in it a new boot version where that matters.
 */
import { HostwrightError, type Refusal } from '@hostwright/core';
import { transaction, type Db, type Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { checkNetwork, rangeRow, type NetworkSpec, type RangeSpec } from './create-network.ts';
import { findOverlaps } from './find-overlaps.ts';
import { refusalOf } from './refuse-constraint.ts';
import { needNetwork, needRange, type NetworkView } from './view.ts';

export type SavedNetwork =
  | { readonly ok: true; readonly network: NetworkView }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

export interface NetworkTarget {
  readonly network: string;
  /** As it was read; another revision by now is a refusal. */
  readonly revision?: number | undefined;
}

const specOf = (network: NetworkView): NetworkSpec => ({
  name: network.name,
  domain: network.domain,
  conduit: network.conduit,
  ...(network.vlan !== null && { vlan: network.vlan }),
  ...(network.bondMode !== null && { bondMode: network.bondMode }),
  ranges: network.ranges,
  routers: network.routers,
});

/** One transaction: lock, compare revisions, do, raise the revision; what the database refuses comes back as a value. */
const change = async (
  db: Db,
  target: NetworkTarget,
  act: (tx: Tx, network: NetworkView) => Promise<readonly Refusal[]>,
): Promise<SavedNetwork> => {
  try {
    return await transaction(db, async (tx) => {
      const network = await needNetwork(tx, target.network, { lock: true });
      if (target.revision !== undefined && target.revision !== network.revision)
        throw new HostwrightError('precondition_failed', {
          public: { revision: network.revision },
        });
      const refusals = await act(tx, network);
      if (refusals.length > 0) return { ok: false, refusals };
      await sql`update network set revision = revision + 1 where id = ${network.id}`.execute(tx);
      return { ok: true, network: await needNetwork(tx, String(network.id)) };
    });
  } catch (error) {
    return { ok: false, refusals: [refusalOf(error)] };
  }
};

export type NetworkChanges = {
  readonly [Key in keyof Omit<NetworkSpec, 'ranges' | 'routers'>]?: NetworkSpec[Key] | null;
};

export const updateNetwork = async (
  db: Db,
  target: NetworkTarget & { readonly changes: NetworkChanges },
): Promise<SavedNetwork> =>
  change(db, target, async (tx, network) => {
    const given = Object.entries(target.changes).filter(([, value]) => value !== undefined);
    const merged = { ...specOf(network), ...Object.fromEntries(given) };
    const kept = Object.entries(merged).filter(([, value]) => value !== null);
    // null means "none", which a specification says by leaving the field out
    const refusals = checkNetwork(Object.fromEntries(kept) as unknown as NetworkSpec);
    if (refusals.length > 0) return refusals;
    const { name, description, category, group, domain, vlan, mtu } = target.changes;
    const { conduit, bondMode, bridge, configure, quarantineSeconds } = target.changes;
    await tx
      .updateTable('network')
      .set({
        ...(name != null && { name }),
        ...(description != null && { description }),
        ...(category != null && { category }),
        ...(group != null && { network_group: group }),
        ...(domain != null && { domain }),
        ...(vlan !== undefined && { vlan }),
        ...(mtu !== undefined && { mtu }),
        ...(conduit != null && { conduit }),
        ...(bondMode !== undefined && { bond_mode: bondMode }),
        ...(bridge != null && { bridge }),
        ...(configure != null && { configure }),
        ...(quarantineSeconds != null && { quarantine_seconds: quarantineSeconds }),
        created_at: sql<Date>`created_at`,
      })
      .where('id', '=', network.id)
      .execute();
    return [];
  });

export const addRange = async (
  db: Db,
  target: NetworkTarget & { readonly range: RangeSpec },
): Promise<SavedNetwork> =>
  change(db, target, async (tx, network) => {
    const spec = specOf(network);
    const ranges = [...spec.ranges, target.range];
    const wrong = checkNetwork({ ...spec, ranges });
    const refusals =
      wrong.length > 0 ? wrong : await findOverlaps(tx, { ranges, network: network.name });
    if (refusals.length > 0) return refusals;
    await tx
      .insertInto('network_range')
      .values({ network_id: network.id, ...rangeRow(target.range) })
      .execute();
    return [];
  });

export const updateRange = async (
  db: Db,
  target: NetworkTarget & {
    readonly range: string;
    readonly changes: { readonly [Key in keyof RangeSpec]?: RangeSpec[Key] | undefined };
  },
): Promise<SavedNetwork> =>
  change(db, target, async (tx, network) => {
    const now = needRange(network, target.range);
    const next = {
      name: target.changes.name ?? now.name,
      kind: target.changes.kind ?? now.kind,
      subnet: target.changes.subnet ?? now.subnet,
      first: target.changes.first ?? now.first,
      last: target.changes.last ?? now.last,
    };
    const spec = specOf(network);
    // last, because of two that clash the later one is named
    const others = network.ranges.filter((range) => range.id !== now.id);
    const ranges = [...others, next];
    const wrong = checkNetwork({ ...spec, ranges });
    const refusals =
      wrong.length > 0 ? wrong : await findOverlaps(tx, { ranges, network: network.name });
    if (refusals.length > 0) return refusals;
    const { rows } = await sql<{ address: string; holder: string; field: string }>`
      select host(a.address) as address, coalesce('node ' || n.name, 'reserved: ' || a.note) as holder,
        case when a.address < ${next.first}::inet then 'first' when a.address > ${next.last}::inet then 'last' else 'kind' end as field
      from allocation a left join node n on n.id = a.node_id
      where a.range_id = ${now.id} and a.released_at is null
        and (${next.kind !== 'host'} and a.node_id is not null or not (a.address between ${next.first}::inet and ${next.last}::inet))
      order by a.address limit 10`.execute(tx);
    if (rows.length > 0)
      return rows.map(({ address, holder, field }) => ({
        code: 'in_use',
        path: `ranges/${now.name}/${field}`,
        message: `${address} is in use (${holder})`,
      }));
    // quarantines of addresses that are ours no longer end with it
    await sql`
      delete from allocation where range_id = ${now.id} and released_at is not null
        and not (address between ${next.first}::inet and ${next.last}::inet)`.execute(tx);
    await tx.updateTable('network_range').set(rangeRow(next)).where('id', '=', now.id).execute();
    return [];
  });

const heldIn = async (tx: Tx, rangeIds: readonly number[]): Promise<readonly Refusal[]> => {
  const { rows } = await sql<{ range: string; held: number }>`
    select r.name as range, count(*)::int as held from allocation a join network_range r on r.id = a.range_id
    where a.range_id = any(${[...rangeIds]}::bigint[]) and a.released_at is null group by r.name order by 1`.execute(
    tx,
  );
  return rows.map(({ range, held }) => ({
    code: 'in_use',
    path: `ranges/${range}`,
    message: `${held === 1 ? 'an address' : `${held} addresses`} of range ${range} ${held === 1 ? 'is' : 'are'} held or reserved`,
  }));
};

const dropRanges = async (tx: Tx, rangeIds: readonly number[]): Promise<void> => {
  await sql`delete from allocation where range_id = any(${[...rangeIds]}::bigint[])`.execute(tx);
  await sql`delete from network_range where id = any(${[...rangeIds]}::bigint[])`.execute(tx);
};

export const deleteRange = async (
  db: Db,
  target: NetworkTarget & { readonly range: string },
): Promise<SavedNetwork> =>
  change(db, target, async (tx, network) => {
    const { id } = needRange(network, target.range);
    const refusals = await heldIn(tx, [id]);
    if (refusals.length === 0) await dropRanges(tx, [id]);
    return refusals;
  });

export const deleteNetwork = async (db: Db, target: NetworkTarget): Promise<readonly Refusal[]> =>
  transaction(db, async (tx) => {
    const network = await needNetwork(tx, target.network, { lock: true });
    if (target.revision !== undefined && target.revision !== network.revision)
      throw new HostwrightError('precondition_failed', { public: { revision: network.revision } });
    const ranges = network.ranges.map((range) => range.id);
    const refusals = await heldIn(tx, ranges);
    if (refusals.length > 0) return refusals;
    await dropRanges(tx, ranges);
    await tx.deleteFrom('network').where('id', '=', network.id).execute();
    return [];
  });

export const putRouter = async (
  db: Db,
  target: NetworkTarget & { readonly address: string; readonly pref?: number | undefined },
): Promise<SavedNetwork> =>
  change(db, target, async (tx, network) => {
    const router = { address: target.address, pref: target.pref ?? 100 };
    const refusals = checkNetwork({ ...specOf(network), routers: [router] });
    if (refusals.length > 0) return refusals;
    await sql`delete from router where network_id = ${network.id} and family(address) = family(${router.address}::inet)`.execute(
      tx,
    );
    await tx
      .insertInto('router')
      .values({ network_id: network.id, ...router })
      .execute();
    return [];
  });

export const deleteRouter = async (
  db: Db,
  target: NetworkTarget & { readonly address: string },
): Promise<SavedNetwork> =>
  change(db, target, async (tx, network) => {
    if (!network.routers.some((router) => router.address === target.address))
      throw new HostwrightError('not_found', {
        message: `network ${network.name} has no router ${target.address}`,
      });
    await sql`delete from router where network_id = ${network.id} and address = ${target.address}::inet`.execute(
      tx,
    );
    return [];
  });
