import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import {
  at,
  BULK_LIMIT,
  bulkResult,
  id,
  idParam,
  jsonObject,
  lane,
  listOf,
  noderoleState,
  pageOf,
  pageQuery,
  queryBoolean,
  queryNumber,
  ref,
  refOrId,
  sortQuery,
  why,
} from '../schema.ts';

export const noderole = z.object({
  id,
  deploymentId: id,
  deployment: z.string(),
  nodeId: id,
  node: z.string(),
  roleId: id,
  role: z.string(),
  lane,
  state: noderoleState,
  stateSince: at,
  snapshotId: id.nullable(),
  cohort: z.number().int(),
  priority: z.number().int(),
  pending: z.number().int().describe('hard parents that are not active'),
  holds: z.array(z.string()),
  notBefore: at.nullable(),
  removing: z.boolean(),
  reason: z.string(),
  blockedBy: id.nullable(),
  degradedBy: id.nullable(),
  drifted: z.boolean(),
  driftReason: z.string().nullable(),
  stale: z.boolean(),
  destructive: z.boolean(),
  milestone: z.boolean(),
  data: jsonObject,
  wall: jsonObject,
  inputHash: z.string().nullable(),
  runId: id.nullable(),
  lastRunId: id.nullable(),
  runCount: z.number().int(),
  failures: z.number().int(),
  cause: z.string(),
  revision: z.number().int(),
  createdAt: at,
});
export type Noderole = z.output<typeof noderole>;
export const noderoleItem = noderole.partial({ data: true, wall: true });

const params = z.object({ noderole: idParam });

export const noderole_list = defineOperation({
  id: 'noderole_list',
  method: 'GET',
  path: '/noderoles',
  summary: 'Noderoles by deployment, node, role, state; in order of work if sorted by cohort',
  access: 'viewer',
  query: z.object({
    ...pageQuery,
    deployment: listOf(ref).optional(),
    node: listOf(ref).optional(),
    role: listOf(ref).optional(),
    state: listOf(noderoleState).optional(),
    snapshot: queryNumber(1, Number.MAX_SAFE_INTEGER).optional(),
    blockedBy: queryNumber(1, Number.MAX_SAFE_INTEGER).optional(),
    degraded: queryBoolean.optional(),
    drifted: queryBoolean.optional(),
    held: queryBoolean.optional(),
    sort: sortQuery(['id', 'cohort', 'stateSince']),
  }),
  answer: pageOf(noderoleItem),
});

export const noderole_get = defineOperation({
  id: 'noderole_get',
  method: 'GET',
  path: '/noderoles/:noderole',
  summary: 'One noderole with data and wall',
  access: 'viewer',
  params,
  answer: noderole,
});

export const noderole_why = defineOperation({
  id: 'noderole_why',
  method: 'GET',
  path: '/noderoles/:noderole/why',
  summary: 'Why it is not active, and the command that clears it',
  access: 'viewer',
  params,
  answer: why,
});

export const noderole_attribs = defineOperation({
  id: 'noderole_attribs',
  method: 'GET',
  path: '/noderoles/:noderole/attribs',
  summary: 'The attributes a run would get, each with the layer it comes from',
  access: 'viewer',
  params,
  query: z.object({ explain: queryBoolean.optional().describe('false: only the merged document') }),
  answer: z.object({
    attribs: jsonObject,
    items: z.array(
      z.object({
        path: z.string().describe('slash separated'),
        value: z.json(),
        layer: z.string(),
        from: z.string().describe('the deployment, role, noderole or node that gave it'),
        secret: z.boolean(),
        input: z.boolean().describe('a change of it means a re-run'),
        covers: z.array(z.object({ layer: z.string(), from: z.string(), value: z.json() })),
      }),
    ),
    declared: z.array(
      z.object({
        name: z.string(),
        path: z.string(),
        role: z.string().nullable(),
        description: z.string(),
        schema: jsonObject.nullable(),
        secret: z.boolean(),
        volatile: z.boolean(),
      }),
    ),
  }),
});

export const noderole_edges = defineOperation({
  id: 'noderole_edges',
  method: 'GET',
  path: '/noderoles/:noderole/edges',
  summary: 'Parents and children',
  access: 'viewer',
  params,
  answer: z.object({
    parents: z.array(
      z.object({ id, node: z.string(), role: z.string(), state: noderoleState, soft: z.boolean() }),
    ),
    children: z.array(
      z.object({ id, node: z.string(), role: z.string(), state: noderoleState, soft: z.boolean() }),
    ),
  }),
});

export const noderole_retry = defineOperation({
  id: 'noderole_retry',
  method: 'POST',
  path: '/noderoles/:noderole/retry',
  summary: 'Run it again',
  access: 'operator',
  grantBy: 'noderole',
  params,
  answer: noderole,
  idempotent: true,
});

/** Exactly one of noderoles, role, deployment; role and deployment together narrow. */
export const noderole_retry_bulk = defineOperation({
  id: 'noderole_retry_bulk',
  method: 'POST',
  path: '/noderoles/retry',
  summary: 'Retry many: by id, all of a role that failed, all of a deployment that failed',
  access: 'operator',
  body: z.union([
    z.strictObject({ noderoles: z.array(id).min(1).max(BULK_LIMIT) }),
    z.strictObject({ role: refOrId, deployment: refOrId.optional() }),
    z.strictObject({ deployment: refOrId }),
  ]),
  answer: bulkResult,
  idempotent: true,
});

export const noderole_cancel = defineOperation({
  id: 'noderole_cancel',
  method: 'POST',
  path: '/noderoles/:noderole/cancel',
  summary: 'Cancel the run it holds',
  access: 'operator',
  grantBy: 'noderole',
  params,
  answer: noderole,
  status: 202,
});

export const noderole_refresh = defineOperation({
  id: 'noderole_refresh',
  method: 'POST',
  path: '/noderoles/:noderole/refresh',
  summary: 'Run it while it stays active',
  access: 'operator',
  grantBy: 'noderole',
  params,
  answer: noderole,
  status: 202,
});

export const noderole_consent = defineOperation({
  id: 'noderole_consent',
  method: 'POST',
  path: '/noderoles/:noderole/consent',
  summary: 'Leave to do one destructive thing once, for the inputs as they are now',
  access: 'operator',
  grantBy: 'noderole',
  params,
  body: z.strictObject({
    inputHash: z.string().max(128).optional().describe('the inputs you saw; refused if they moved'),
    disks: z.array(z.string().max(255)).max(256).optional(),
  }),
  answer: noderole,
  status: 201,
  idempotent: true,
});
