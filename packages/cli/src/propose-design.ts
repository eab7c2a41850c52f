/**
 * Proposes the difference between a design file and what is committed: edits a proposal until it
 * says what the file says, and leaves alone what does not differ. Nothing happens to a machine
 * before somebody commits.
 */
import type { Client } from '@hostwright/api';
import {
  deployment_create,
  deployment_get,
  deployment_list,
} from '@hostwright/api/nouns/deployment';
import {
  snapshot_bind,
  snapshot_binding_data,
  snapshot_data,
  snapshot_role_delete,
  snapshot_role_put,
  snapshot_unbind,
} from '@hostwright/api/nouns/snapshot-edit';
import { snapshot_content, snapshot_discard } from '@hostwright/api/nouns/snapshot';
import { sameJson } from '@hostwright/core';
import type { DesignDeployment } from './design-file.ts';
import { editProposal } from './find-snapshot.ts';

export interface Proposed {
  readonly deployment: string;
  readonly snapshot: number | null;
  readonly changes: number;
}

const key = (item: { readonly role: string; readonly node: string }): string =>
  `${item.role} ${item.node}`;

const ensureDeployment = async (client: Client, design: DesignDeployment): Promise<boolean> => {
  const { items } = await client.call(deployment_list);
  if (items.some((item) => item.name === design.name)) return false;
  const { name, description, parent } = design;
  await client.call(deployment_create, { body: { name, description, parent } });
  return true;
};

export const proposeDesign = async (
  client: Client,
  design: DesignDeployment,
  options: { readonly keep: boolean },
): Promise<Proposed> => {
  await ensureDeployment(client, design);
  const before = await client.call(deployment_get, { params: { deployment: design.name } });
  return editProposal(client, design.name, async (snapshot, made) => {
    const changes = await editToDesign({ client, design, snapshot, made, keep: options.keep });
    // opened by us and found to say nothing new: leave no trace
    if (changes > 0 || before.proposedSnapshotId !== null)
      return { deployment: design.name, snapshot, changes };
    await client.call(snapshot_discard, { params: { snapshot } });
    return { deployment: design.name, snapshot: null, changes };
  });
};

const editToDesign = async (options: {
  readonly client: Client;
  readonly design: DesignDeployment;
  readonly snapshot: number;
  readonly made: () => void;
  readonly keep: boolean;
}): Promise<number> => {
  const { client, design, snapshot, made } = options;
  const params = { snapshot };
  const now = await client.call(snapshot_content, { params });
  let changes = 0;

  if (!sameJson(now.data, design.data)) {
    await client.call(snapshot_data, { params, body: { data: design.data } });
    made();
    changes++;
  }
  const nowRoles = new Map(now.roles.map((role) => [role.role, role.data]));
  for (const { role, data } of design.roles) {
    const had = nowRoles.get(role);
    if (had !== undefined ? sameJson(had, data) : Object.keys(data).length === 0) continue;
    await client.call(snapshot_role_put, { params: { snapshot, role }, body: { data } });
    made();
    changes++;
  }
  const asked = now.bindings.filter((binding) => binding.origin === 'operator');
  const has = new Map(asked.map((binding) => [key(binding), binding]));
  const wants = new Map(design.bindings.map((binding) => [key(binding), binding]));
  const surplus = options.keep ? [] : asked.filter((binding) => !wants.has(key(binding)));
  if (surplus.length > 0) {
    await client.call(snapshot_unbind, {
      params,
      body: { bindings: surplus.map(({ role, node }) => ({ role, node })) },
    });
    made();
  }
  const fresh = design.bindings.filter((binding) => !has.has(key(binding)));
  if (fresh.length > 0) {
    await client.call(snapshot_bind, {
      params,
      body: {
        bindings: fresh.map(({ role, node, data }) => ({
          role,
          node,
          ...(Object.keys(data).length > 0 && { data }),
        })),
      },
    });
    made();
  }
  changes += surplus.length + fresh.length;
  for (const { role, node, data } of design.bindings) {
    const had = has.get(key({ role, node }));
    if (had === undefined || sameJson(had.data, data)) continue;
    await client.call(snapshot_binding_data, { params: { snapshot, role, node }, body: { data } });
    made();
    changes++;
  }
  const wantedRoles = new Set(design.roles.map((role) => role.role));
  const dropped = options.keep
    ? []
    : now.roles.filter(
        (role) =>
          !wantedRoles.has(role.role) &&
          asked.some((binding) => binding.role === role.role) &&
          !now.bindings.some(
            (binding) => binding.role === role.role && binding.origin === 'required',
          ),
      );
  for (const { role } of dropped) {
    await client.call(snapshot_role_delete, { params: { snapshot, role } });
    made();
  }

  return changes;
};
