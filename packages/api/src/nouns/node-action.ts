import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { jsonObject, ref } from '../schema.ts';

const params = z.object({ node: ref });

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
