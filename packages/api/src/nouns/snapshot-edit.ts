import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { idParam, jsonObject, ref, refOrId } from '../schema.ts';
import { snapshot } from './snapshot.ts';

const params = z.object({ snapshot: idParam });

const roleAndNode = z.strictObject({ role: refOrId, node: refOrId });

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
