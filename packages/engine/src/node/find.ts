/** A node by name or id; a name never consists of digits only. */
import { HostwrightError, type JsonObject } from '@hostwright/core';
import { findIdOrName } from '../db/id-or-name.ts';
import type { Db, Tx } from '../db/open.ts';

export interface NodeRecord {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly admin: boolean;
  readonly alive: boolean;
  readonly aliveReason: string;
  readonly aliveChangedAt: Date;
  readonly available: boolean;
  readonly bootenv: string;
  readonly deploymentId: number;
  readonly bootId: string | null;
  readonly bootEpoch: number;
  readonly labels: JsonObject;
  readonly hint: JsonObject;
  readonly discovery: JsonObject;
  readonly discoveredAt: Date | null;
  readonly systemUuid: string | null;
  readonly serial: string | null;
  readonly macs: readonly string[];
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
}

const select = (db: Db | Tx) =>
  db
    .selectFrom('node')
    .select([
      'id',
      'name',
      'description',
      'admin',
      'alive',
      'alive_reason as aliveReason',
      'alive_changed_at as aliveChangedAt',
      'available',
      'bootenv',
      'deployment_id as deploymentId',
      'boot_id as bootId',
      'boot_epoch as bootEpoch',
      'labels',
      'hint',
      'discovery',
      'discovered_at as discoveredAt',
      'system_uuid as systemUuid',
      'serial',
      'macs',
      'revision',
      'created_at as createdAt',
      'updated_at as updatedAt',
      'deleted_at as deletedAt',
    ])
    // The columns are jsonb objects by what writes them; the driver cannot know.
    .$narrowType<{ labels: JsonObject; hint: JsonObject; discovery: JsonObject }>();

export const findNode = async (
  db: Db | Tx,
  nameOrId: string | number,
): Promise<NodeRecord | undefined> => {
  const ref = findIdOrName(nameOrId);
  const query =
    ref.id === undefined
      ? select(db).where('name', '=', ref.name)
      : select(db).where('id', '=', ref.id);
  return query.where('deleted_at', 'is', null).executeTakeFirst();
};

export const needNode = async (db: Db | Tx, nameOrId: string | number): Promise<NodeRecord> => {
  const node = await findNode(db, nameOrId);
  if (node === undefined)
    throw new HostwrightError('not_found', {
      message: `there is no node ${String(nameOrId).slice(0, 255)}`,
      public: { kind: 'node', name: String(nameOrId).slice(0, 255) },
    });
  return node;
};

/** In the order of the ids given; deleted ones too. */
export const readNodes = async (db: Db | Tx, ids: readonly number[]): Promise<NodeRecord[]> => {
  if (ids.length === 0) return [];
  const rows: NodeRecord[] = [];
  for (let at = 0; at < ids.length; at += 5000)
    rows.push(
      ...(await select(db)
        .where('id', 'in', ids.slice(at, at + 5000))
        .execute()),
    );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
};
