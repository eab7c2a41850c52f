import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { BULK_LIMIT, deploymentName, description, id, ref, refOrId } from '../schema.ts';

export const group = z.object({
  id,
  name: z.string(),
  category: z.string(),
  description: z.string(),
  members: z.number().int(),
  revision: z.number().int(),
});
const params = z.object({ group: ref });
const category = z.string().min(1).max(64);

export const group_list = defineOperation({
  id: 'group_list',
  method: 'GET',
  path: '/groups',
  summary: 'Groups of nodes',
  access: 'viewer',
  query: z.object({ category: category.optional() }),
  answer: z.object({ items: z.array(group) }),
});

export const group_create = defineOperation({
  id: 'group_create',
  method: 'POST',
  path: '/groups',
  summary: 'Make a group',
  access: 'operator',
  body: z.strictObject({
    name: deploymentName,
    category: category.optional(),
    description: description.optional(),
  }),
  answer: group,
  status: 201,
  idempotent: true,
});

export const group_get = defineOperation({
  id: 'group_get',
  method: 'GET',
  path: '/groups/:group',
  summary: 'One group; its members are node_list?group=',
  access: 'viewer',
  params,
  answer: group,
});

export const group_patch = defineOperation({
  id: 'group_patch',
  method: 'PATCH',
  path: '/groups/:group',
  summary: 'Change a group',
  access: 'operator',
  params,
  body: z.strictObject({
    name: deploymentName.optional(),
    category: category.optional(),
    description: description.optional(),
  }),
  answer: group,
  ifMatch: true,
});

export const group_delete = defineOperation({
  id: 'group_delete',
  method: 'DELETE',
  path: '/groups/:group',
  summary: 'Delete a group; its nodes stay',
  access: 'operator',
  params,
  status: 204,
  ifMatch: true,
});

export const group_members = defineOperation({
  id: 'group_members',
  method: 'POST',
  path: '/groups/:group/members',
  summary: 'Add nodes to a group and take nodes out; all or nothing',
  access: 'operator',
  params,
  body: z.strictObject({
    add: z.array(refOrId).max(BULK_LIMIT).optional(),
    remove: z.array(refOrId).max(BULK_LIMIT).optional(),
  }),
  answer: group,
  idempotent: true,
});
