/**
 * Facts reported by a node. What they change is reconsidered at once, but only where a noderole
 * wants a fact that really changed; volatile facts (temperatures, free memory) never cause work.
 */
import {
  HostwrightError,
  isObject,
  sameJson,
  type JsonObject,
  type JsonValue,
  type Refusal,
} from '@hostwright/core';
import { sql } from 'kysely';
import { reconsiderInputs } from '../attribs/reconsider-inputs.ts';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { normalMac } from './check.ts';
import { cleanFacts, factAt } from './facts.ts';
import { identityKeys, lockIdentity, usableSerial, usableUuid, type Identity } from './identity.ts';
import { learnIdentity } from './learn-identity.ts';

export interface InventoryOptions {
  readonly nodeId: number;
  readonly bootId: string;
  /** Top-level keys replace those of earlier reports; null removes one. */
  readonly facts: unknown;
}

export type Inventory =
  | { readonly ok: true; readonly changed: boolean; readonly reconsidered: number }
  | { readonly ok: false; readonly reason: 'stale' }
  | { readonly ok: false; readonly reason: 'refused'; readonly refusals: readonly Refusal[] };

export const reportInventory = async (db: Db, options: InventoryOptions): Promise<Inventory> => {
  const cleaned = cleanFacts(options.facts);
  if (!cleaned.ok) return { ok: false, reason: 'refused', refusals: cleaned.refusals };
  return transaction(db, (tx) => store(tx, { ...options, facts: cleaned.facts }));
};

const store = async (
  tx: Tx,
  options: InventoryOptions & { readonly facts: JsonObject },
): Promise<Inventory> => {
  const { nodeId, facts } = options;
  const identity = identityIn(facts);
  await lockIdentity(tx, identityKeys(identity));
  const node = await tx
    .selectFrom('node')
    .select(['boot_id', 'discovery'])
    .$narrowType<{ discovery: JsonObject }>()
    .where('id', '=', nodeId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (node === undefined)
    throw new HostwrightError('not_found', { message: 'there is no such node' });
  if (node.boot_id !== options.bootId) return { ok: false, reason: 'stale' };
  const next = Object.fromEntries(
    Object.entries({ ...node.discovery, ...facts }).filter(([, value]) => value !== null),
  );
  const changed = !sameJson(node.discovery, next);
  const disks = !sameJson(node.discovery['disks'], next['disks']);
  if (changed)
    await tx
      .updateTable('node')
      .set((row) => ({
        discovery: JSON.stringify(next),
        discovered_at: sql<Date>`now()`,
        revision: row('revision', '+', 1),
        plan_revision: row('plan_revision', '+', disks ? 1 : 0),
        updated_at: sql<Date>`now()`,
      }))
      .where('id', '=', nodeId)
      .execute();
  else
    await tx
      .updateTable('node')
      .set({ discovered_at: sql<Date>`now()` })
      .where('id', '=', nodeId)
      .where('discovered_at', 'is', null)
      .execute();
  await learnIdentity(tx, { nodeId, identity });
  if (!changed) return { ok: true, changed, reconsidered: 0 };
  const wanting = await wantingChanged(tx, [{ id: nodeId, was: node.discovery, is: next }]);
  const noderoleIds = wanting.get(nodeId) ?? [];
  if (noderoleIds.length > 0)
    await reconsiderInputs(tx, { noderoleIds, cause: 'facts of the node changed' });
  return { ok: true, changed, reconsidered: noderoleIds.length };
};

const text = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** Agents say dmi/system_uuid, dmi/system_serial and nics/mac; other sources may differ in the prefix. */
export const identityIn = (facts: JsonObject): Identity => {
  const nics = facts['nics'];
  const macs = Array.isArray(nics)
    ? nics.flatMap((nic) => (isObject(nic) ? (normalMac(text(nic['mac']) ?? '') ?? []) : []))
    : [];
  return {
    system_uuid:
      usableUuid(text(factAt(facts, 'dmi/system_uuid') ?? factAt(facts, 'dmi/uuid'))) ?? null,
    serial:
      usableSerial(text(factAt(facts, 'dmi/system_serial') ?? factAt(facts, 'dmi/serial'))) ?? null,
    macs: [...new Set(macs)].slice(0, 64),
  };
};

/** By node: the noderoles that want a fact which really changed. */
export const wantingChanged = async (
  tx: Tx,
  changes: readonly {
    readonly id: number;
    readonly was: JsonObject;
    readonly is: JsonObject;
  }[],
): Promise<Map<number, number[]>> => {
  if (changes.length === 0) return new Map();
  const { rows: wants } = await sql<{ id: number; nodeId: number; path: string }>`
    select w.id, w.node_id as "nodeId", a.path
    from noderole w join role_want q on q.role_id = w.role_id join attrib a on a.name = q.attrib
    where w.node_id = any(${changes.map(({ id }) => id)}::bigint[]) and a.role_id is null and not a.volatile
    order by w.id`.execute(tx);
  const byNode = new Map(changes.map((change) => [change.id, change]));
  const moved = wants.filter(({ nodeId, path }) => {
    const change = byNode.get(nodeId);
    return change !== undefined && !sameJson(factAt(change.was, path), factAt(change.is, path));
  });
  const found = new Map<number, number[]>();
  for (const [nodeId, list] of Map.groupBy(moved, (want) => want.nodeId))
    found.set(nodeId, [...new Set(list.map((want) => want.id))]);
  return found;
};
