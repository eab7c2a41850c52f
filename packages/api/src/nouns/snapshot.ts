import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at, id, idParam, jsonObject, message, pageOf, pageQuery, ref } from '../schema.ts';

export const SNAPSHOT_STATES = ['proposed', 'committed', 'superseded', 'recalled'] as const;

export const snapshot = z.object({
  id,
  deploymentId: id,
  deployment: z.string(),
  revision: z.number().int(),
  state: z.enum(SNAPSHOT_STATES),
  message: z.string(),
  basedOn: z.number().int().nullable(),
  createdBy: z.string(),
  createdAt: at,
  committedBy: z.string().nullable(),
  committedAt: at.nullable(),
  planHash: z.string().nullable(),
  rollingLimit: z.number().int().nullable(),
  canary: z.number().int().nullable(),
  stopAfterFailures: z.number().int().nullable(),
  canaryPassedAt: at.nullable(),
  haltedAt: at.nullable(),
  haltedReason: z.string().nullable(),
  finishedAt: at.nullable(),
  edits: z.number().int().describe('grows with each edit'),
});
export type Snapshot = z.output<typeof snapshot>;

const deploymentParams = z.object({ deployment: ref });
const params = z.object({ snapshot: idParam });

export const snapshot_list = defineOperation({
  id: 'snapshot_list',
  method: 'GET',
  path: '/deployments/:deployment/snapshots',
  summary: 'The time line of a deployment, newest first',
  access: 'viewer',
  params: deploymentParams,
  query: z.object({ ...pageQuery }),
  answer: pageOf(snapshot),
});

export const snapshot_propose = defineOperation({
  id: 'snapshot_propose',
  method: 'POST',
  path: '/deployments/:deployment/snapshots',
  summary: 'Open a proposal; it holds what the committed snapshot holds',
  access: 'operator',
  grantBy: 'deployment',
  params: deploymentParams,
  body: z.strictObject({ message: message.optional() }).optional(),
  answer: snapshot,
  status: 201,
  idempotent: true,
});

export const snapshot_get = defineOperation({
  id: 'snapshot_get',
  method: 'GET',
  path: '/snapshots/:snapshot',
  summary: 'One snapshot',
  access: 'viewer',
  params,
  answer: snapshot,
});

export const snapshot_content = defineOperation({
  id: 'snapshot_content',
  method: 'GET',
  path: '/snapshots/:snapshot/content',
  summary: 'What a snapshot holds: deployment data, roles, bindings',
  access: 'viewer',
  params,
  answer: z.object({
    data: jsonObject,
    roles: z.array(z.object({ roleId: id, role: z.string(), data: jsonObject })),
    bindings: z.array(
      z.object({
        roleId: id,
        role: z.string(),
        nodeId: id,
        node: z.string(),
        origin: z.enum(['operator', 'required']),
        reason: z.string(),
        data: jsonObject,
      }),
    ),
  }),
});

export const snapshot_discard = defineOperation({
  id: 'snapshot_discard',
  method: 'DELETE',
  path: '/snapshots/:snapshot',
  summary: 'Throw a proposal away',
  access: 'operator',
  grantBy: 'snapshot',
  params,
  status: 204,
  ifMatch: true,
});
