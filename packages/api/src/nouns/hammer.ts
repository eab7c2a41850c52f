import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { id, jsonObject, ref } from '../schema.ts';

export const hammer = z.object({
  id,
  nodeId: id,
  kind: z.string(),
  endpoint: z.string(),
  username: z.string(),
  secret: z.string().nullable().describe('name of the secret, never its value'),
  priority: z.number().int(),
  config: jsonObject,
  actions: z.array(z.string()).describe('what it can do on this node'),
  revision: z.number().int(),
});

const kind = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-z][a-z0-9-]*$/);

export const hammer_list = defineOperation({
  id: 'hammer_list',
  method: 'GET',
  path: '/nodes/:node/hammers',
  summary: 'The hammers of a node',
  access: 'viewer',
  params: z.object({ node: ref }),
  answer: z.object({ items: z.array(hammer) }),
});

export const hammer_put = defineOperation({
  id: 'hammer_put',
  method: 'PUT',
  path: '/nodes/:node/hammers/:kind',
  summary: 'Give a node a hammer, or change it; one of a kind per node',
  access: 'operator',
  grantBy: 'node',
  params: z.object({ node: ref, kind }),
  body: z.strictObject({
    endpoint: z.string().max(1024).optional(),
    username: z.string().max(255).optional(),
    secret: z.string().max(255).nullable().optional(),
    priority: z.number().int().min(-1000).max(1000).optional(),
    config: jsonObject.optional(),
  }),
  answer: hammer,
});

export const hammer_delete = defineOperation({
  id: 'hammer_delete',
  method: 'DELETE',
  path: '/nodes/:node/hammers/:kind',
  summary: 'Take a hammer away',
  access: 'operator',
  grantBy: 'node',
  params: z.object({ node: ref, kind }),
  status: 204,
});
