/** Edits of a proposal's data: of the deployment, of a role in it, of one binding. Checked at each write. */
import { HostwrightError, sameJson, type JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { resolveRefs, type Ref } from '../binding/resolve-refs.ts';
import { insertBindings, removeBindings } from '../binding/write-bindings.ts';
import { readCatalogue } from '../role/read-catalogue.ts';
import { editProposal, type Edit } from './edit.ts';
import { readSnapshot, type SnapshotRecord } from './read.ts';
import {
  closeRow,
  dataFits,
  needRole,
  openRow,
  putDeploymentData,
  putRoleData,
  refuse,
} from './write-data.ts';

export const setDeploymentData = async (
  db: Db,
  options: Edit & { readonly data: JsonObject },
): Promise<SnapshotRecord> =>
  editProposal(db, options, async (tx, snapshot) => ({
    result: snapshot,
    payload: (await putDeploymentData(tx, snapshot, options.data)) ? { data: true } : null,
  })).then((snapshot) => readSnapshot(db, snapshot.id));

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
      (await putRoleData(tx, snapshot, { role, data: options.data ?? {} }));
    return { result: snapshot, payload: changed ? { role: role.name } : null };
  }).then((snapshot) => readSnapshot(db, snapshot.id));

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
