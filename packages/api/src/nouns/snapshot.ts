import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import {
  at,
  BULK_LIMIT,
  id,
  idParam,
  jsonObject,
  message,
  noderoleState,
  pageOf,
  pageQuery,
  queryNumber,
  ref,
  refOrId,
  refusal,
} from '../schema.ts';

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
const roleAndNode = z.strictObject({ role: refOrId, node: refOrId });

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

export const snapshot_bind = defineOperation({
  id: 'snapshot_bind',
  method: 'POST',
  path: '/snapshots/:snapshot/bind',
  summary: 'Bind roles to nodes in a proposal; all or nothing, every refusal listed',
  access: 'operator',
  grantBy: 'snapshot',
  params,
  body: z.strictObject({
    bindings: z
      .array(roleAndNode.extend({ data: jsonObject.optional() }))
      .min(1)
      .max(100_000),
  }),
  answer: z.object({
    bound: z.number().int(),
    pulledIn: z.array(z.object({ role: z.string(), node: z.string(), reason: z.string() })),
  }),
  bodyLimit: 16 * 1024 * 1024,
  idempotent: true,
  ifMatch: true,
});

export const snapshot_unbind = defineOperation({
  id: 'snapshot_unbind',
  method: 'POST',
  path: '/snapshots/:snapshot/unbind',
  summary: 'Unbind roles from nodes in a proposal; all or nothing',
  access: 'operator',
  grantBy: 'snapshot',
  params,
  body: z.strictObject({ bindings: z.array(roleAndNode).min(1).max(100_000) }),
  answer: z.object({
    unbound: z.number().int(),
    alsoUnbound: z.array(z.object({ role: z.string(), node: z.string(), reason: z.string() })),
    stays: z
      .array(z.object({ role: z.string(), node: z.string(), reason: z.string() }))
      .describe('asked for, but others still require it'),
  }),
  bodyLimit: 16 * 1024 * 1024,
  idempotent: true,
  ifMatch: true,
});

export const snapshot_binding_data = defineOperation({
  id: 'snapshot_binding_data',
  method: 'PUT',
  path: '/snapshots/:snapshot/bindings/:role/:node/data',
  summary: "Set the operator's data of one binding",
  access: 'operator',
  grantBy: 'snapshot',
  params: z.object({ snapshot: idParam, role: ref, node: ref }),
  body: z.strictObject({ data: jsonObject }),
  answer: snapshot,
  ifMatch: true,
});

export const snapshot_role_put = defineOperation({
  id: 'snapshot_role_put',
  method: 'PUT',
  path: '/snapshots/:snapshot/roles/:role',
  summary: 'Take a role into the deployment, or set its data',
  access: 'operator',
  grantBy: 'snapshot',
  params: z.object({ snapshot: idParam, role: ref }),
  body: z.strictObject({ data: jsonObject.optional() }),
  answer: snapshot,
  ifMatch: true,
});

export const snapshot_role_delete = defineOperation({
  id: 'snapshot_role_delete',
  method: 'DELETE',
  path: '/snapshots/:snapshot/roles/:role',
  summary: 'Take a role out of the deployment',
  access: 'operator',
  grantBy: 'snapshot',
  params: z.object({ snapshot: idParam, role: ref }),
  status: 204,
  ifMatch: true,
});

export const snapshot_data = defineOperation({
  id: 'snapshot_data',
  method: 'PUT',
  path: '/snapshots/:snapshot/data',
  summary: "Set the deployment's own data",
  access: 'operator',
  grantBy: 'snapshot',
  params,
  body: z.strictObject({ data: jsonObject }),
  answer: snapshot,
  ifMatch: true,
});

const planItem = z.object({
  role: z.string(),
  node: z.string(),
  roleId: id,
  nodeId: id,
  noderoleId: id.nullable(),
});
const disk = z.object({
  name: z.string(),
  serial: z.string().nullable(),
  bytes: z.number().nullable(),
  holds: z.array(z.string()).optional().describe('what was found on it; absent: nobody looked'),
});
export const plan = z.object({
  snapshotId: id,
  deploymentId: id,
  revision: z.number().int(),
  hash: z.string(),
  add: z.array(planItem),
  change: z.array(planItem.extend({ what: z.array(z.enum(['data', 'parents', 'order'])) })),
  rerun: z.array(planItem),
  teardown: z.array(planItem.extend({ how: z.enum(['teardown', 'forget']) })),
  keep: z.number().int().describe('noderoles that stay as they are'),
  pulledIn: z.array(z.object({ role: z.string(), node: z.string(), reason: z.string() })),
  destructive: z.array(planItem.extend({ disks: z.array(disk), effect: z.string() })),
  refusals: z.array(refusal),
  effects: z
    .array(
      z.object({
        kind: z.string().describe('disk, boot, dhcp, address, dns, problem'),
        subject: z.string().describe('name of the node'),
        text: z.string(),
      }),
    )
    .describe('what the commit does beyond noderoles, in words; part of what the hash covers'),
});
export type Plan = z.output<typeof plan>;

export const snapshot_plan = defineOperation({
  id: 'snapshot_plan',
  method: 'GET',
  path: '/snapshots/:snapshot/plan',
  summary: 'What a commit would do, with a hash to commit by',
  access: 'viewer',
  params,
  answer: plan,
});

export const snapshot_commit = defineOperation({
  id: 'snapshot_commit',
  method: 'POST',
  path: '/snapshots/:snapshot/commit',
  summary: 'Commit a proposal; with a plan hash, only if the plan still holds',
  access: 'operator',
  grantBy: 'snapshot',
  params,
  body: z
    .strictObject({
      plan: z.string().max(128).optional(),
      message: message.optional(),
      rollingLimit: z.number().int().min(1).max(100_000).optional(),
      canary: z.number().int().min(1).max(100_000).optional(),
      stopAfterFailures: z.number().int().min(1).max(100_000).optional(),
      consent: z
        .array(
          z.strictObject({
            role: refOrId,
            node: refOrId,
            disks: z.array(z.string().max(255)).max(256),
          }),
        )
        .max(BULK_LIMIT)
        .optional()
        .describe('leave to do what is destructive in the plan, by disk'),
    })
    .optional(),
  answer: snapshot,
  idempotent: true,
  ifMatch: true,
});

export const snapshot_recall = defineOperation({
  id: 'snapshot_recall',
  method: 'POST',
  path: '/snapshots/:snapshot/recall',
  summary: 'Stop a commit that is being carried out; its content becomes a proposal again',
  access: 'operator',
  grantBy: 'snapshot',
  params,
  body: z.strictObject({ running: z.enum(['drain', 'cancel']).optional() }).optional(),
  answer: snapshot,
  idempotent: true,
});

export const snapshot_progress = defineOperation({
  id: 'snapshot_progress',
  method: 'GET',
  path: '/snapshots/:snapshot/progress',
  summary: 'How far a commit has come',
  access: 'viewer',
  params,
  answer: z.object({
    position: z.string(),
    total: z.number().int(),
    done: z.number().int(),
    failed: z.number().int(),
    states: z.record(noderoleState, z.number().int()),
    byCohort: z.array(
      z.object({
        cohort: z.number().int(),
        total: z.number().int(),
        done: z.number().int(),
        failed: z.number().int(),
      }),
    ),
    finished: z.boolean().describe('nothing more will happen by itself'),
    haltedReason: z.string().nullable(),
  }),
});
