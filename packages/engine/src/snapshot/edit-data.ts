/** Edits of a proposal's data: of the deployment, of a role in it, of one binding. Checked at each write. */
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
import type { Db, Tx } from '../db/open.ts';
import { resolveRefs, type Ref } from '../binding/resolve-refs.ts';
import { insertBindings, removeBindings } from '../binding/write-bindings.ts';
import { readCatalogue } from '../role/read-catalogue.ts';
import { editProposal, type Edit } from './edit.ts';
import { readSnapshot, type SnapshotRecord } from './read.ts';

const refuse = (refusals: readonly Refusal[]): void => {
  if (refusals.length > 0)
    throw new HostwrightError('refused', {
      message: refusals
        .map((refusal) => refusal.message)
        .join('; ')
        .slice(0, 2000),
      refusals,
    });
};

const needRole = (catalogue: Catalogue, ref: Ref): Role => {
  const role =
    typeof ref === 'number' || /^[0-9]+$/.test(ref)
      ? catalogue.byId.get(Number(ref))
      : catalogue.byName.get(ref);
  if (role === undefined)
    throw new HostwrightError('not_found', {
      message: `there is no role ${String(ref).slice(0, 100)}`,
    });
  return role;
};

const dataFits = (catalogue: Catalogue, role: Role, data: JsonObject): void =>
  refuse(checkData({ data, attribs: declaredInputs(catalogue, role), owner: `role ${role.name}` }));

interface OpenRow {
  readonly id: number;
  readonly data: JsonObject;
  readonly added_revision: number;
}

type DataTable = 'deployment_data' | 'deployment_role';

const openRow = async (
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

const closeRow = async (
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

export const setDeploymentData = async (
  db: Db,
  options: Edit & { readonly data: JsonObject },
): Promise<SnapshotRecord> =>
  editProposal(db, options, async (tx, snapshot) => {
    const catalogue = await readCatalogue(tx);
    refuse(
      checkData({
        data: options.data,
        attribs: anyAttrib(catalogue),
        owner: `deployment ${snapshot.deployment}`,
      }).map((refusal) =>
        refusal.code === 'undeclared'
          ? {
              ...refusal,
              message: refusal.message.replace(/; it has .*$/s, ': no imported role declares it'),
            }
          : refusal,
      ),
    );
    const before = await openRow(tx, 'deployment_data', snapshot);
    if (sameJson(before?.data ?? {}, options.data)) return { result: snapshot, payload: null };
    if (before !== undefined) await closeRow(tx, 'deployment_data', before, snapshot.revision);
    await tx
      .insertInto('deployment_data')
      .values({
        deployment_id: snapshot.deploymentId,
        data: JSON.stringify(options.data),
        added_revision: snapshot.revision,
      })
      .execute();
    return { result: snapshot, payload: { data: true } };
  }).then((snapshot) => readSnapshot(db, snapshot.id));

const putRole = async (
  tx: Tx,
  snapshot: SnapshotRecord,
  role: Role,
  data: JsonObject,
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

/** Takes a role into the deployment; what it has there already stays. */
export const addDeploymentRole = async (
  db: Db,
  options: Edit & { readonly role: Ref; readonly data?: JsonObject | undefined },
): Promise<SnapshotRecord> =>
  editProposal(db, options, async (tx, snapshot) => {
    const catalogue = await readCatalogue(tx);
    const role = needRole(catalogue, options.role);
    if (role.removed)
      refuse([
        {
          code: 'role_removed',
          path: 'role',
          message: `role ${role.name} is no longer part of barclamp ${role.barclamp}`,
        },
      ]);
    if (options.data !== undefined) dataFits(catalogue, role, options.data);
    const standing = await openRow(tx, 'deployment_role', {
      deploymentId: snapshot.deploymentId,
      roleId: role.id,
    });
    const changed =
      (standing === undefined || options.data !== undefined) &&
      (await putRole(tx, snapshot, role, options.data ?? {}));
    return { result: snapshot, payload: changed ? { role: role.name } : null };
  }).then((snapshot) => readSnapshot(db, snapshot.id));

export const setDeploymentRoleData = (
  db: Db,
  options: Edit & { readonly role: Ref; readonly data: JsonObject },
): Promise<SnapshotRecord> => addDeploymentRole(db, options);

/** Refused while the proposal still binds the role somewhere. */
export const removeDeploymentRole = async (
  db: Db,
  options: Edit & { readonly role: Ref },
): Promise<SnapshotRecord> =>
  editProposal(db, options, async (tx, snapshot) => {
    const role = needRole(await readCatalogue(tx), options.role);
    const { rows } = await sql<{ count: number; names: string[] }>`
      select count(*)::int as count, (array_agg(n.name order by n.name))[1:5] as names from binding b join node n on n.id = b.node_id
      where b.deployment_id = ${snapshot.deploymentId} and b.role_id = ${role.id} and b.removed_revision is null`.execute(
      tx,
    );
    const bound = rows[0];
    if (bound !== undefined && bound.count > 0)
      throw new HostwrightError('in_use', {
        message: `${role.name} is bound to ${bound.names.join(', ')}${bound.count > 5 ? ` and ${bound.count - 5} more` : ''}: unbind it first`,
        refusals: [
          { code: 'bound', path: 'role', message: `${role.name} is bound to ${bound.count} nodes` },
        ],
      });
    const standing = await openRow(tx, 'deployment_role', {
      deploymentId: snapshot.deploymentId,
      roleId: role.id,
    });
    if (standing === undefined)
      throw new HostwrightError('not_found', {
        message: `${role.name} is not a role of this deployment`,
      });
    await closeRow(tx, 'deployment_role', standing, snapshot.revision);
    return { result: snapshot, payload: { removedRole: role.name } };
  }).then((snapshot) => readSnapshot(db, snapshot.id));

/** The operator's own word about one noderole: the strongest layer. */
export const setBindingData = async (
  db: Db,
  options: Edit & { readonly role: Ref; readonly node: Ref; readonly data: JsonObject },
): Promise<SnapshotRecord> =>
  editProposal(db, options, async (tx, snapshot) => {
    const catalogue = await readCatalogue(tx);
    const role = needRole(catalogue, options.role);
    const refs = await resolveRefs(tx, catalogue, { roles: [], nodes: [options.node] });
    const nodeId = refs.node(options.node);
    dataFits(catalogue, role, options.data);
    const { rows } = await sql<{
      data: JsonObject;
      origin: 'operator' | 'required';
      reason: string;
    }>`
      select data, origin, reason from binding
      where deployment_id = ${snapshot.deploymentId} and role_id = ${role.id} and node_id = ${nodeId ?? 0} and removed_revision is null`.execute(
      tx,
    );
    const [before] = rows;
    if (nodeId === undefined || before === undefined)
      throw new HostwrightError('not_found', {
        message: `${role.name} is not bound to ${String(options.node).slice(0, 100)} in this proposal`,
      });
    if (sameJson(before.data, options.data)) return { result: snapshot, payload: null };
    const key = { roleId: role.id, nodeId };
    await removeBindings(tx, snapshot, [key]);
    await insertBindings(tx, snapshot, [
      { ...key, origin: before.origin, reason: before.reason, data: options.data },
    ]);
    return { result: snapshot, payload: { role: role.name, nodeId } };
  }).then((snapshot) => readSnapshot(db, snapshot.id));
