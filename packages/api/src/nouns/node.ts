import { NODE_ROLLUPS } from '@hostwright/core/node/rollup';
import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import {
  at,
  description,
  id,
  jsonObject,
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
} from '../schema.ts';

export const rollup = z.enum(NODE_ROLLUPS);

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
