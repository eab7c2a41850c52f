/**
 * The reports of many machines in one transaction: a rack that is switched on reports together. One
 * that adds to what is known of its node's identity is left to reportInventory, which locks it first.
 */
import { sameJson, type JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import { reconsiderInputs } from '../attribs/reconsider-inputs.ts';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { cleanFacts } from './facts.ts';
import type { Identity } from './identity.ts';
import { identityIn, wantingChanged, type Inventory, type InventoryOptions } from './inventory.ts';

interface Row extends Identity {
  readonly id: number;
  readonly boot_id: string | null;
  readonly discovery: JsonObject;
}

interface Change {
  readonly id: number;
  readonly was: JsonObject;
  readonly is: JsonObject;
}

const addsNothing = (row: Row, said: Identity): boolean =>
  (said.system_uuid === null || said.system_uuid === row.system_uuid) &&
  (said.serial === null || said.serial === row.serial) &&
  said.macs.every((mac) => row.macs.includes(mac));

const readLocked = async (tx: Tx, nodeIds: readonly number[]): Promise<Map<number, Row>> => {
  const { rows } = await sql<Row>`
    select id, boot_id, discovery, system_uuid, serial, macs from node
    where id = any(${[...nodeIds]}::bigint[]) and deleted_at is null order by id for update`.execute(
    tx,
  );
  return new Map(rows.map((row) => [row.id, row]));
};

const write = async (tx: Tx, changes: readonly Change[]): Promise<void> => {
  if (changes.length === 0) return;
  const disks = changes.map(({ was, is }) => !sameJson(was['disks'], is['disks']));
  await sql`
    update node n set discovery = c.facts::jsonb, discovered_at = now(), revision = n.revision + 1,
      plan_revision = n.plan_revision + case when c.disks then 1 else 0 end, updated_at = now()
    from unnest(${changes.map(({ id }) => id)}::bigint[], ${changes.map(({ is }) => JSON.stringify(is))}::text[], ${disks}::boolean[]) c(id, facts, disks)
    where n.id = c.id`.execute(tx);
};

const storeAll = async (
  tx: Tx,
  reports: readonly (InventoryOptions & { readonly facts: JsonObject })[],
): Promise<Map<number, Inventory>> => {
  const rows = await readLocked(
    tx,
    reports.map(({ nodeId }) => nodeId),
  );
  const answers = new Map<number, Inventory>();
  const changes: Change[] = [];
  for (const { nodeId, bootId, facts } of reports) {
    const row = rows.get(nodeId);
    if (row === undefined || !addsNothing(row, identityIn(facts))) continue;
    if (row.boot_id !== bootId) {
      answers.set(nodeId, { ok: false, reason: 'stale' });
      continue;
    }
    const is = Object.fromEntries(
      Object.entries({ ...row.discovery, ...facts }).filter(([, value]) => value !== null),
    );
    if (!sameJson(row.discovery, is)) changes.push({ id: nodeId, was: row.discovery, is });
    else answers.set(nodeId, { ok: true, changed: false, reconsidered: 0 });
  }
  await write(tx, changes);
  const wanting = await wantingChanged(tx, changes);
  const noderoleIds = [...wanting.values()].flat();
  if (noderoleIds.length > 0)
    await reconsiderInputs(tx, { noderoleIds, cause: 'facts of the node changed' });
  for (const { id } of changes)
    answers.set(id, { ok: true, changed: true, reconsidered: wanting.get(id)?.length ?? 0 });
  const same = [...answers].flatMap(([id, answer]) => (answer.ok && !answer.changed ? [id] : []));
  if (same.length > 0)
    await sql`update node set discovered_at = now() where id = any(${same}::bigint[]) and discovered_at is null`.execute(
      tx,
    );
  return answers;
};

/** One report per node. Who has no answer is to be asked of reportInventory. */
export const reportInventories = async (
  db: Db,
  reports: readonly InventoryOptions[],
): Promise<ReadonlyMap<number, Inventory>> => {
  const cleaned = reports.flatMap((report) => {
    const { ok, ...rest } = cleanFacts(report.facts);
    return ok && 'facts' in rest ? [{ ...report, facts: rest.facts }] : [];
  });
  if (cleaned.length === 0) return new Map();
  return transaction(db, (tx) => storeAll(tx, cleaned));
};
