/**
 * The layers of each noderole, weakest first, as DESIGN has them: role default, barclamp, discovery,
 * each deployment from the root down, deployment role, ancestors' walls, own wall, computed, hint,
 * own data. From facts and hints a role sees only what it declares.
 */
import {
  pick,
  put,
  valueAt,
  type Attrib,
  type Catalogue,
  type JsonObject,
  type JsonValue,
  type Layer,
  type Role,
} from '@hostwright/core';
import type { DeploymentRow, NoderoleRow, Rows } from './load-rows.ts';
import { roleInputs, type RoleInputs } from './role-inputs.ts';

export interface Layered {
  readonly role: Role;
  readonly inputs: RoleInputs;
  readonly layers: readonly Layer[];
}

const chainDown = (rows: Rows, deploymentId: number): DeploymentRow[] => {
  const chain: DeploymentRow[] = [];
  for (
    let at = rows.deployments.get(deploymentId);
    at !== undefined;
    at = rows.deployments.get(at.parentId ?? 0)
  )
    chain.push(at);
  return chain.toReversed();
};

const pickAll = (attribs: readonly Attrib[], from: JsonObject): JsonObject => {
  let document: JsonObject = {};
  for (const attrib of attribs) {
    const value = pick(from, attrib.path);
    if (value !== undefined) document = put(document, attrib.path, value);
  }
  return document;
};

/** What the engine itself knows; a role gets it by wanting the attribute of that name. */
const COMPUTED: Readonly<Record<string, (row: NoderoleRow, rows: Rows) => JsonValue | undefined>> =
  {
    'node-name': (row) => row.node,
    'node-id': (row) => row.nodeId,
    'deployment-name': (row, rows) => rows.deployments.get(row.deploymentId)?.name,
  };

const computed = (inputs: RoleInputs, row: NoderoleRow, rows: Rows): JsonObject => {
  let document: JsonObject = {};
  for (const attrib of inputs.facts) {
    const value = COMPUTED[attrib.name]?.(row, rows);
    if (value !== undefined) document = put(document, attrib.path, value);
  }
  return document;
};

const facts = (inputs: RoleInputs, row: NoderoleRow, rows: Rows): JsonObject => {
  const found = rows.facts.get(row.nodeId);
  if (found === undefined) return {};
  let document: JsonObject = {};
  for (const attrib of inputs.facts) {
    const value = found[attrib.path.join('/')];
    if (value !== undefined && value !== null) document = put(document, attrib.path, value);
  }
  return document;
};

export const layerAll = (
  catalogue: Catalogue,
  rows: Rows,
): ((id: number) => Layered | undefined) => {
  const done = new Map<number, Layered | undefined>();
  const ancestors = (inputs: RoleInputs, row: NoderoleRow): Layer[] => {
    if (inputs.fromAncestors.length === 0) return [];
    return (rows.links.get(row.id) ?? []).flatMap((link): Layer[] => {
      const attrib = catalogue.attribs.get(link.attrib);
      const provider = layer(link.providerId);
      if (attrib === undefined || provider === undefined) return [];
      const value = valueAt(provider.layers, attrib.path);
      if (value === undefined) return [];
      const at = rows.noderoles.get(link.providerId);
      return [
        {
          layer: 'ancestor wall',
          from: `${provider.role.name}@${at?.node ?? ''}`,
          document: put({}, attrib.path, value),
        },
      ];
    });
  };
  const layer = (id: number): Layered | undefined => {
    if (done.has(id)) return done.get(id);
    done.set(id, undefined); // links follow edges, which have no circles; this only makes sure of it
    const row = rows.noderoles.get(id);
    const role = row === undefined ? undefined : catalogue.byId.get(row.roleId);
    if (row === undefined || role === undefined) return undefined;
    const inputs = roleInputs(catalogue, role);
    const self = `${role.name}@${row.node}`;
    const layers: Layer[] = [
      { layer: 'role default', from: role.name, document: inputs.defaults },
      { layer: 'barclamp', from: role.barclamp, document: role.barclampData },
    ];
    const add = (name: Layer['layer'], from: string, document: JsonObject | null | undefined) => {
      if (document !== null && document !== undefined) layers.push({ layer: name, from, document });
    };
    if (inputs.facts.length > 0) add('discovery', row.node, facts(inputs, row, rows));
    const chain = chainDown(rows, row.deploymentId);
    for (const deployment of chain) add('deployment', deployment.name, deployment.data);
    add(
      'deployment role',
      `${role.name} in ${chain.at(-1)?.name ?? ''}`,
      rows.deploymentRoles.get(`${row.deploymentId}@${role.id}`),
    );
    layers.push(...ancestors(inputs, row));
    add('own wall', self, row.wall);
    if (inputs.facts.length > 0) add('computed', 'hostwright', computed(inputs, row, rows));
    if (row.hint !== null) add('hint', row.node, pickAll(inputs.declared, row.hint));
    add('own data', self, row.data);
    const layered = { role, inputs, layers };
    done.set(id, layered);
    return layered;
  };
  return layer;
};
