import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at } from '../schema.ts';

export const system_get = defineOperation({
  id: 'system_get',
  method: 'GET',
  path: '/system',
  summary: 'Version, addresses, certificate fingerprint, sizes',
  access: 'viewer',
  answer: z.object({
    version: z.string(),
    schema: z.number().int(),
    startedAt: at,
    time: at,
    url: z.string(),
    caFingerprint: z
      .string()
      .nullable()
      .describe('SHA-256 of the CA certificate, for the join command'),
    joinCommand: z.string().describe('with TOKEN where the join token goes'),
    nodes: z.number().int(),
    noderoles: z.number().int(),
    simulator: z.boolean(),
  }),
});

export const system_openapi = defineOperation({
  id: 'system_openapi',
  method: 'GET',
  path: '/openapi.json',
  summary: 'This API as an OpenAPI 3.1 document',
  access: 'anyone',
  answer: z.record(z.string(), z.json()),
});

export const system_health = defineOperation({
  id: 'system_health',
  method: 'GET',
  path: '/health',
  summary: 'The process answers',
  access: 'anyone',
  answer: z.object({ status: z.literal('ok') }),
});

export const system_ready = defineOperation({
  id: 'system_ready',
  method: 'GET',
  path: '/ready',
  summary: 'Database reachable, schema at head, a worker alive; 503 with the same body if not',
  access: 'anyone',
  answer: z.object({
    ready: z.boolean(),
    checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
  }),
});

export const system_metrics = defineOperation({
  id: 'system_metrics',
  method: 'GET',
  path: '/metrics',
  summary: 'Prometheus text',
  access: 'viewer',
  medium: 'text',
});
