import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at, deploymentName, id, pageOf, pageQuery, ref } from '../schema.ts';

export const webhook = z.object({
  id,
  name: z.string(),
  url: z.string(),
  kinds: z.array(z.string()),
  active: z.boolean(),
  secret: z.string().describe('name of the secret that signs; never its value'),
  disabledReason: z.string().nullable().describe('why Hostwright switched it off'),
  revision: z.number().int(),
  createdAt: at,
});
const params = z.object({ webhook: ref });
const url = z.url({ protocol: /^https?$/ }).max(2048);
const kinds = z.array(z.string().max(64)).max(64);

export const webhook_list = defineOperation({
  id: 'webhook_list',
  method: 'GET',
  path: '/webhooks',
  summary: 'Webhooks',
  access: 'admin',
  answer: z.object({ items: z.array(webhook) }),
});

export const webhook_create = defineOperation({
  id: 'webhook_create',
  method: 'POST',
  path: '/webhooks',
  summary: 'Make a webhook; the signing key is made here and shown once unless a secret is named',
  access: 'admin',
  body: z.strictObject({
    name: deploymentName,
    url,
    kinds: kinds.optional(),
    active: z.boolean().optional(),
    secret: z.string().max(255).optional(),
  }),
  answer: webhook.extend({ signingKey: z.string().nullable() }),
  status: 201,
});

export const webhook_get = defineOperation({
  id: 'webhook_get',
  method: 'GET',
  path: '/webhooks/:webhook',
  summary: 'One webhook',
  access: 'admin',
  params,
  answer: webhook,
});

export const webhook_patch = defineOperation({
  id: 'webhook_patch',
  method: 'PATCH',
  path: '/webhooks/:webhook',
  summary: 'Change a webhook',
  access: 'admin',
  params,
  body: z.strictObject({
    url: url.optional(),
    kinds: kinds.optional(),
    active: z.boolean().optional(),
  }),
  answer: webhook,
  ifMatch: true,
});

export const webhook_delete = defineOperation({
  id: 'webhook_delete',
  method: 'DELETE',
  path: '/webhooks/:webhook',
  summary: 'Delete a webhook',
  access: 'admin',
  params,
  status: 204,
  ifMatch: true,
});

export const webhook_delivery_list = defineOperation({
  id: 'webhook_delivery_list',
  method: 'GET',
  path: '/webhooks/:webhook/deliveries',
  summary: 'Deliveries, newest first',
  access: 'admin',
  params,
  query: z.object({ ...pageQuery }),
  answer: pageOf(
    z.object({
      id,
      eventId: id,
      attempts: z.number().int(),
      status: z.number().int().nullable(),
      error: z.string().nullable(),
      deliveredAt: at.nullable(),
      deadAt: at.nullable().describe('given up'),
      lastAt: at.nullable(),
    }),
  ),
});
