import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import {
  at,
  BULK_LIMIT,
  bulkResult,
  description,
  id,
  jsonObject,
  label,
  labels,
  labelsPatch,
  listOf,
  nodeName,
  noderoleState,
  pageOf,
  pageQuery,
  queryBoolean,
  ref,
  refOrId,
  repeated,
  sortQuery,
  why,
} from '../schema.ts';

/** A node's noderoles in one word: the worst or busiest of their states; `undefined` = no role but discovery. */
export const ROLLUPS = [
  'undefined',
  'error',
  'transition',
  'todo',
  'blocked',
  'proposed',
  'active',
] as const;
export const rollup = z.enum(ROLLUPS);

export const node = z.object({
  id,
  name: z.string(),
  description: z.string(),
  admin: z.boolean(),
  alive: z.boolean(),
  aliveReason: z.string(),
  aliveChangedAt: at,
  available: z.boolean(),
  bootenv: z.string(),
  deploymentId: id,
  deployment: z.string(),
  rollup,
  bootId: z.string().nullable(),
  bootEpoch: z.number().int(),
  labels,
  hint: jsonObject,
  discovery: jsonObject,
  discoveredAt: at.nullable(),
  systemUuid: z.string().nullable(),
  serial: z.string().nullable(),
  macs: z.array(z.string()),
  groups: z.array(z.string()),
  lastSeenAt: at.nullable(),
  revision: z.number().int(),
  createdAt: at,
  updatedAt: at,
});
export type Node = z.output<typeof node>;
/** What a list gives unless `fields` asks for more: everything but hint and discovery. */
export const nodeItem = node.partial({ hint: true, discovery: true });

const params = z.object({ node: ref });
const macs = z
  .array(z.string().regex(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/, 'like 52:54:00:12:34:56, lower case'))
  .max(64);

/** Also the filter of bulk actions: what is listed is what is acted on. */
export const nodeFilter = {
  q: z.string().max(255).optional().describe('part of the name, or of description, serial or MAC'),
  deployment: listOf(ref).optional(),
  state: listOf(rollup).optional().describe('roll-up state'),
  alive: queryBoolean.optional(),
  available: queryBoolean.optional(),
  admin: queryBoolean.optional(),
  label: repeated.optional().describe('`key` or `key=value`; several: all must hold'),
  group: listOf(ref).optional(),
  role: listOf(ref).optional().describe('has a noderole of one of these roles'),
  noderoleState: listOf(noderoleState).optional().describe('has a noderole in one of these states'),
  bootenv: listOf(z.string().max(128)).optional(),
};

export const node_list = defineOperation({
  id: 'node_list',
  method: 'GET',
  path: '/nodes',
  summary: 'Nodes, filtered, sorted, page by page',
  access: 'viewer',
  query: z.object({
    ...pageQuery,
    ...nodeFilter,
    sort: sortQuery([
      'name',
      'id',
      'createdAt',
      'updatedAt',
      'aliveChangedAt',
      'bootenv',
      'deployment',
    ]),
    count: queryBoolean.optional(),
  }),
  answer: pageOf(nodeItem),
});

export const node_create = defineOperation({
  id: 'node_create',
  method: 'POST',
  path: '/nodes',
  summary: 'Make a node; discovery roles are bound to it at once',
  access: 'operator',
  body: z.strictObject({
    name: nodeName,
    description: description.optional(),
    deployment: refOrId.optional(),
    available: z.boolean().optional(),
    bootenv: z.string().max(128).optional(),
    labels: labels.optional(),
    hint: jsonObject.optional(),
    macs: macs.optional(),
    systemUuid: z.string().max(128).optional(),
    serial: z.string().max(255).optional(),
  }),
  answer: node,
  status: 201,
  idempotent: true,
});

export const node_offers = defineOperation({
  id: 'node_offers',
  method: 'GET',
  path: '/node-offers',
  summary: 'Machines of deleted nodes that came again and wait to be adopted',
  access: 'viewer',
  answer: z.object({
    items: z.array(
      z.object({
        id,
        name: z.string(),
        serial: z.string().nullable(),
        macs: z.array(z.string()),
        deletedAt: at,
        offeredAt: at.describe('told at most once an hour'),
      }),
    ),
  }),
});

export const node_adopt = defineOperation({
  id: 'node_adopt',
  method: 'POST',
  path: '/node-offers/:node/adopt',
  summary: 'Take a deleted node back; its machine may join again',
  access: 'operator',
  params: z.object({ node: ref }),
  answer: node,
  idempotent: true,
});

export const node_get = defineOperation({
  id: 'node_get',
  method: 'GET',
  path: '/nodes/:node',
  summary: 'One node with facts and hints',
  access: 'viewer',
  params,
  answer: node,
});

export const node_patch = defineOperation({
  id: 'node_patch',
  method: 'PATCH',
  path: '/nodes/:node',
  summary: 'Change a node; labels are merged, hints are merged, null removes',
  access: 'operator',
  grantBy: 'node',
  params,
  body: z.strictObject({
    name: nodeName.optional(),
    description: description.optional(),
    available: z.boolean().optional(),
    bootenv: z.string().max(128).optional(),
    deployment: refOrId.optional(),
    labels: labelsPatch.optional(),
    hint: jsonObject.optional(),
  }),
  answer: node,
  ifMatch: true,
});

export const node_delete = defineOperation({
  id: 'node_delete',
  method: 'DELETE',
  path: '/nodes/:node',
  summary: 'Delete a node; refused while roles are bound, unless abandoned',
  access: 'operator',
  grantBy: 'node',
  params,
  query: z.object({
    abandon: queryBoolean.optional().describe('the machine is gone: no teardown'),
  }),
  status: 204,
  ifMatch: true,
});

export const node_label_set = defineOperation({
  id: 'node_label_set',
  method: 'PUT',
  path: '/nodes/:node/labels/:label',
  summary: 'Set one label',
  access: 'operator',
  grantBy: 'node',
  params: z.object({ node: ref, label }),
  body: z.strictObject({ value: z.string().max(1024) }),
  answer: node,
});

export const node_label_delete = defineOperation({
  id: 'node_label_delete',
  method: 'DELETE',
  path: '/nodes/:node/labels/:label',
  summary: 'Take one label off',
  access: 'operator',
  grantBy: 'node',
  params: z.object({ node: ref, label }),
  status: 204,
});

/** What this node's hammers offer now; nothing else is offered. */
export const nodeAction = z.object({
  action: z.string(),
  hammer: z.string(),
  description: z.string(),
  disruptive: z.boolean(),
});

export const node_action_list = defineOperation({
  id: 'node_action_list',
  method: 'GET',
  path: '/nodes/:node/actions',
  summary: 'Actions that this node really has: of its hammers, and rescue, reinstall, release',
  access: 'viewer',
  params,
  answer: z.object({ items: z.array(nodeAction) }),
});

export const node_action_run = defineOperation({
  id: 'node_action_run',
  method: 'POST',
  path: '/nodes/:node/actions/:action',
  summary: 'Carry out one action of node_action_list',
  access: 'operator',
  grantBy: 'node',
  params: z.object({ node: ref, action: z.string().max(64) }),
  body: z.strictObject({ hammer: z.string().max(64).optional() }).optional(),
  answer: z.object({ action: z.string(), hammer: z.string(), answer: jsonObject }),
  status: 202,
  idempotent: true,
});

export const node_attribs = defineOperation({
  id: 'node_attribs',
  method: 'GET',
  path: '/nodes/:node/attribs',
  summary: 'Attributes of the node itself, each with the layer it comes from',
  access: 'viewer',
  params,
  answer: z.object({
    items: z.array(
      z.object({
        name: z.string(),
        path: z.string(),
        value: z.json(),
        layer: z.string(),
        from: z.string(),
        schema: jsonObject.nullable(),
      }),
    ),
  }),
});

export const node_why = defineOperation({
  id: 'node_why',
  method: 'GET',
  path: '/nodes/:node/why',
  summary: 'The one cause that keeps this node from being done, and the command that clears it',
  access: 'viewer',
  params,
  answer: why,
});

/** Per item: what happened to it. One item that is refused does not stop the others. */
export const node_bulk = defineOperation({
  id: 'node_bulk',
  method: 'POST',
  path: '/nodes/bulk',
  summary: 'One action on many nodes, with a result for each',
  access: 'operator',
  body: z.discriminatedUnion('action', [
    z.strictObject({
      action: z.literal('labels'),
      nodes: z.array(refOrId).min(1).max(BULK_LIMIT),
      labels: labelsPatch,
    }),
    z.strictObject({
      action: z.literal('available'),
      nodes: z.array(refOrId).min(1).max(BULK_LIMIT),
      available: z.boolean(),
    }),
    z.strictObject({
      action: z.literal('move'),
      nodes: z.array(refOrId).min(1).max(BULK_LIMIT),
      deployment: refOrId,
    }),
    z.strictObject({ action: z.literal('retry'), nodes: z.array(refOrId).min(1).max(BULK_LIMIT) }),
    z.strictObject({
      action: z.literal('delete'),
      nodes: z.array(refOrId).min(1).max(BULK_LIMIT),
      abandon: z.boolean().optional(),
    }),
  ]),
  answer: bulkResult,
  idempotent: true,
});
