import { ROLE_FLAGS } from '@hostwright/core/role/role';
import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import {
  id,
  jsonObject,
  lane,
  listOf,
  pageOf,
  pageQuery,
  queryBoolean,
  ref,
  sortQuery,
} from '../schema.ts';

export { ROLE_FLAGS };

export const attrib = z.object({
  name: z.string(),
  path: z.string(),
  description: z.string(),
  schema: jsonObject.nullable(),
  default: z.json().nullable(),
  secret: z.boolean(),
  volatile: z.boolean(),
});

export const role = z.object({
  id,
  name: z.string(),
  barclamp: z.string(),
  description: z.string(),
  jig: z.string(),
  lane,
  flags: z.array(z.enum(ROLE_FLAGS)),
  provides: z.array(z.string()),
  conflicts: z.array(z.string()),
  requires: z.array(z.string()),
  after: z.array(z.string()).describe('soft order: only if both are bound'),
  wants: z.array(z.string()),
  attribs: z.array(attrib),
  priority: z.number().int(),
  deadlineSeconds: z.number().int(),
  retryLimit: z.number().int(),
  retryBackoffSeconds: z.number().int(),
  teardown: z.boolean(),
  data: jsonObject,
  noderoles: z.number().int().describe('how many noderoles it has'),
  removed: z.boolean().describe('dropped by a later import, kept for history'),
  revision: z.number().int(),
});
export type Role = z.output<typeof role>;

export const role_list = defineOperation({
  id: 'role_list',
  method: 'GET',
  path: '/roles',
  summary: 'Roles, with what they require, want and conflict with',
  access: 'viewer',
  query: z.object({
    ...pageQuery,
    q: z.string().max(255).optional(),
    barclamp: listOf(ref).optional(),
    jig: listOf(ref).optional(),
    flag: listOf(z.enum(ROLE_FLAGS)).optional(),
    offered: queryBoolean
      .optional()
      .describe('only what a person binds: no library, abstract or removed roles'),
    sort: sortQuery(['name', 'id']),
  }),
  answer: pageOf(role),
});

export const role_get = defineOperation({
  id: 'role_get',
  method: 'GET',
  path: '/roles/:role',
  summary: 'One role',
  access: 'viewer',
  params: z.object({ role: ref }),
  answer: role,
});
