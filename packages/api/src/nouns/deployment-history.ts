import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { jsonObject, queryNumber, ref } from '../schema.ts';
import { snapshot } from './snapshot.ts';

const deploymentParams = z.object({ deployment: ref });

export const deployment_rollback = defineOperation({
  id: 'deployment_rollback',
  method: 'POST',
  path: '/deployments/:deployment/rollback',
  summary: 'Open a proposal with the content of an older revision',
  access: 'operator',
  grantBy: 'deployment',
  params: deploymentParams,
  body: z.strictObject({ revision: z.number().int().positive() }),
  answer: snapshot,
  status: 201,
  idempotent: true,
});

const change = z.object({
  role: z.string(),
  node: z.string(),
  before: jsonObject.optional(),
  after: jsonObject.optional(),
});
export const snapshotDiff = z.object({
  from: z.number().int(),
  to: z.number().int(),
  bindings: z.object({
    added: z.array(change),
    removed: z.array(change),
    changed: z.array(change),
  }),
  roles: z.object({
    added: z.array(z.string()),
    removed: z.array(z.string()),
    changed: z.array(z.object({ role: z.string(), before: jsonObject, after: jsonObject })),
  }),
  data: z.object({ before: jsonObject, after: jsonObject }).nullable().describe('null: the same'),
});

export const deployment_diff = defineOperation({
  id: 'deployment_diff',
  method: 'GET',
  path: '/deployments/:deployment/diff',
  summary: 'What differs between two revisions',
  access: 'viewer',
  params: deploymentParams,
  query: z.object({ from: queryNumber(0, 2_147_483_647), to: queryNumber(1, 2_147_483_647) }),
  answer: snapshotDiff,
});
