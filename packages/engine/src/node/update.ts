/**
 * Changes a node as an operator wants. Labels and hints are merge patches under the row's lock, so
 * that two people who change different keys both win.
 */
import { HostwrightError, isObject, type JsonObject, type Refusal } from '@hostwright/core';
import { sql } from 'kysely';
import { reconsiderInputs } from '../attribs/reconsider-inputs.ts';
import type { Db, Tx } from '../db/open.ts';
import { sqlState, transaction } from '../db/transaction.ts';
import { checkLabels, checkNode, normalMac } from './check.ts';
import { needNode, readNodes, type NodeRecord } from './find.ts';

export interface NodeChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly available?: boolean | undefined;
  readonly bootenv?: string | undefined;
  readonly deployment?: string | number | undefined;
  /** Merge patch: null removes a key. */
  readonly labels?: JsonObject | undefined;
  /** Merge patch: null removes a key. */
  readonly hint?: JsonObject | undefined;
  readonly macs?: readonly string[] | undefined;
}

export interface UpdateNodeOptions {
  readonly node: string | number;
  /** Refused with precondition_failed if the node has moved on. */
  readonly revision?: number | undefined;
  readonly changes: NodeChanges;
  readonly actor: string;
}

export type UpdatedNode =
  | { readonly ok: true; readonly node: NodeRecord }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

const merge = (target: JsonObject, patch: JsonObject): JsonObject => {
  const merged: JsonObject = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    const old = merged[key];
    if (value === null) delete merged[key];
    else merged[key] = isObject(value) ? merge(isObject(old) ? old : {}, value) : value;
  }
  return merged;
};

export const updateNode = async (db: Db, options: UpdateNodeOptions): Promise<UpdatedNode> => {
  try {
    return await transaction(db, (tx) => update(tx, options));
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    return refused('name_taken', 'name', `there is already a node ${options.changes.name}`);
  }
};

const refused = (code: string, path: string, message: string): UpdatedNode => ({
  ok: false,
  refusals: [{ code, path, message }],
});

const update = async (tx: Tx, options: UpdateNodeOptions): Promise<UpdatedNode> => {
  const { changes } = options;
  const { id } = await needNode(tx, options.node);
  await tx.selectFrom('node').select('id').where('id', '=', id).forUpdate().execute();
  const node = await needNode(tx, id);
  if (options.revision !== undefined && options.revision !== node.revision)
    throw new HostwrightError('precondition_failed', { public: { revision: node.revision } });
  const labels = merge(node.labels, changes.labels ?? {});
  const hint = merge(node.hint, changes.hint ?? {});
  const deployment = await findDeployment(tx, changes.deployment);
  const macs = changes.macs?.flatMap((mac) => normalMac(mac) ?? []);
  const refusals = [
    ...checkNode({
      ...changes,
      labels: undefined,
      hint: changes.hint === undefined ? undefined : hint,
    }),
    ...checkLabels(labels),
    ...(deployment === null
      ? [
          {
            code: 'not_found',
            path: 'deployment',
            message: `there is no deployment ${changes.deployment}`,
          },
        ]
      : []),
    ...(node.admin && changes.available === false
      ? [
          {
            code: 'refused',
            path: 'available',
            message: 'the admin node runs Hostwright itself and stays available',
          },
        ]
      : []),
    ...(await takenMacs(tx, { nodeId: id, macs: macs ?? [] })),
  ];
  if (refusals.length > 0) return { ok: false, refusals };
  const planned = changes.hint !== undefined || changes.name !== undefined || macs !== undefined;
  await tx
    .updateTable('node')
    .set((row) => ({
      name: changes.name ?? node.name,
      description: changes.description ?? node.description,
      available: changes.available ?? node.available,
      bootenv: changes.bootenv ?? node.bootenv,
      deployment_id: deployment ?? node.deploymentId,
      labels: JSON.stringify(labels),
      hint: JSON.stringify(hint),
      macs: macs === undefined ? [...node.macs] : [...new Set(macs)],
      revision: row('revision', '+', 1),
      plan_revision: row('plan_revision', '+', planned ? 1 : 0),
      updated_at: sql<Date>`now()`,
    }))
    .where('id', '=', id)
    .execute();
  if (planned) await reconsiderAll(tx, { nodeId: id, actor: options.actor });
  const [updated] = await readNodes(tx, [id]);
  if (updated === undefined) throw new HostwrightError('internal');
  return { ok: true, node: updated };
};

/** undefined = not asked for; null = there is none. */
const findDeployment = async (tx: Tx, wanted: string | number | undefined) => {
  if (wanted === undefined) return undefined;
  const row = await tx
    .selectFrom('deployment')
    .select('id')
    .where(sql<boolean>`${String(wanted)} in (name, id::text)`)
    .executeTakeFirst();
  return row?.id ?? null;
};

const takenMacs = async (
  tx: Tx,
  options: { readonly nodeId: number; readonly macs: readonly string[] },
): Promise<Refusal[]> => {
  if (options.macs.length === 0) return [];
  const { rows } = await sql<{ mac: string; name: string }>`
    select m.mac, n.name from unnest(${[...options.macs]}::text[]) m(mac)
    join node n on n.macs @> array[m.mac] and n.deleted_at is null and n.id <> ${options.nodeId}`.execute(
    tx,
  );
  return rows.map(({ mac, name }) => ({
    code: 'conflict',
    path: 'macs',
    message: `${mac} belongs to node ${name}`,
  }));
};

const reconsiderAll = async (
  tx: Tx,
  options: { readonly nodeId: number; readonly actor: string },
): Promise<void> => {
  const rows = await tx
    .selectFrom('noderole')
    .select('id')
    .where('node_id', '=', options.nodeId)
    .orderBy('id')
    .execute();
  if (rows.length > 0)
    await reconsiderInputs(tx, {
      noderoleIds: rows.map((row) => row.id),
      cause: `node changed by ${options.actor}`,
    });
};
