/** How operator's data of a deployment and of its roles is written into a revision, and checked. */
import {
  checkData,
  declaredInputs,
  HostwrightError,
  sameJson,
  type Attrib,
  type Catalogue,
  type JsonObject,
  type Refusal,
  type Role,
} from '@hostwright/core';
import { sql } from 'kysely';
import { findIdOrName } from '../db/id-or-name.ts';
import type { Tx } from '../db/open.ts';
import type { Ref } from '../binding/resolve-refs.ts';
import { readCatalogue } from '../role/read-catalogue.ts';
import type { SnapshotRecord } from './read.ts';

export const refuse = (refusals: readonly Refusal[]): void => {
  if (refusals.length > 0)
    throw new HostwrightError('refused', {
      message: refusals
        .map((refusal) => refusal.message)
        .join('; ')
        .slice(0, 2000),
      refusals,
    });
};

export const needRole = (catalogue: Catalogue, ref: Ref): Role => {
  const { id, name } = findIdOrName(ref);
  const role = id === undefined ? catalogue.byName.get(name) : catalogue.byId.get(id);
  if (role === undefined)
    throw new HostwrightError('not_found', {
      message: `there is no role ${String(ref).slice(0, 100)}`,
    });
  return role;
};

export const dataFits = (catalogue: Catalogue, role: Role, data: JsonObject): void =>
  refuse(checkData({ data, attribs: declaredInputs(catalogue, role), owner: `role ${role.name}` }));

interface OpenRow {
  readonly id: number;
  readonly data: JsonObject;
  readonly added_revision: number;
}

type DataTable = 'deployment_data' | 'deployment_role';

export const openRow = async (
  tx: Tx,
  table: DataTable,
  at: { readonly deploymentId: number; readonly roleId?: number },
): Promise<OpenRow | undefined> => {
  const { rows } = await sql<OpenRow>`
    select id, data, added_revision from ${sql.table(table)}
    where deployment_id = ${at.deploymentId} and removed_revision is null
      ${at.roleId === undefined ? sql`` : sql`and role_id = ${at.roleId}`}`.execute(tx);
  return rows[0];
};

export const closeRow = async (
  tx: Tx,
  table: DataTable,
  row: OpenRow,
  revision: number,
): Promise<void> => {
  if (row.added_revision === revision)
    await sql`delete from ${sql.table(table)} where id = ${row.id}`.execute(tx);
  else
    await sql`update ${sql.table(table)} set removed_revision = ${revision} where id = ${row.id}`.execute(
      tx,
    );
};

/** Everything a deployment's data may set: attributes of any role, and the node's. */
const anyAttrib = (catalogue: Catalogue): readonly Attrib[] => [...catalogue.attribs.values()];

/** False: it holds that already. */
export const putDeploymentData = async (
  tx: Tx,
  snapshot: SnapshotRecord,
  data: JsonObject,
): Promise<boolean> => {
  const attribs = anyAttrib(await readCatalogue(tx));
  refuse(
    checkData({ data, attribs, owner: `deployment ${snapshot.deployment}` }).map((refusal) =>
      refusal.code === 'undeclared'
        ? {
            ...refusal,
            message: refusal.message.replace(/; it has .*$/s, ': no imported role declares it'),
          }
        : refusal,
    ),
  );
  const before = await openRow(tx, 'deployment_data', snapshot);
  if (sameJson(before?.data ?? {}, data)) return false;
  if (before !== undefined) await closeRow(tx, 'deployment_data', before, snapshot.revision);
  await tx
    .insertInto('deployment_data')
    .values({
      deployment_id: snapshot.deploymentId,
      data: JSON.stringify(data),
      added_revision: snapshot.revision,
    })
    .execute();
  return true;
};

/** False: it is there with that data. */
export const putRoleData = async (
  tx: Tx,
  snapshot: SnapshotRecord,
  { role, data }: { readonly role: Role; readonly data: JsonObject },
): Promise<boolean> => {
  const before = await openRow(tx, 'deployment_role', {
    deploymentId: snapshot.deploymentId,
    roleId: role.id,
  });
  if (before !== undefined && sameJson(before.data, data)) return false;
  if (before !== undefined) await closeRow(tx, 'deployment_role', before, snapshot.revision);
  await tx
    .insertInto('deployment_role')
    .values({
      deployment_id: snapshot.deploymentId,
      role_id: role.id,
      data: JSON.stringify(data),
      added_revision: snapshot.revision,
    })
    .execute();
  return true;
};
