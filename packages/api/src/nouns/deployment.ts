import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at, countsByState, deploymentName, description, id, ref, refOrId } from '../schema.ts';

export const deployment = z.object({
  id,
  name: z.string(),
  description: z.string(),
  parentId: id.nullable(),
  depth: z.number().int(),
  system: z.boolean(),
  paused: z.boolean(),
  nodes: z.number().int(),
  noderoles: countsByState,
  proposedSnapshotId: id.nullable(),
  committedSnapshotId: id.nullable(),
  committedRevision: z.number().int().nullable(),
  revision: z.number().int(),
  createdAt: at,
  updatedAt: at,
});
export type Deployment = z.output<typeof deployment>;

const params = z.object({ deployment: ref });

/** All of them at once, parents before children: the tree is drawn from parentId. */
export const deployment_list = defineOperation({
  id: 'deployment_list',
  method: 'GET',
  path: '/deployments',
  summary: 'The tree of deployments, parents first, with counts',
  access: 'viewer',
  query: z.object({ q: z.string().max(255).optional(), under: ref.optional() }),
  answer: z.object({ items: z.array(deployment) }),
});

export const deployment_create = defineOperation({
  id: 'deployment_create',
  method: 'POST',
  path: '/deployments',
  summary: 'Make a deployment under another; under system if none is named',
  access: 'operator',
  body: z.strictObject({
    name: deploymentName,
    description: description.optional(),
    parent: refOrId.optional(),
  }),
  answer: deployment,
  status: 201,
  idempotent: true,
});

export const deployment_get = defineOperation({
  id: 'deployment_get',
  method: 'GET',
  path: '/deployments/:deployment',
  summary: 'One deployment with counts by state',
  access: 'viewer',
  params,
  answer: deployment,
});

export const deployment_patch = defineOperation({
  id: 'deployment_patch',
  method: 'PATCH',
  path: '/deployments/:deployment',
  summary: 'Rename, describe or move a deployment',
  access: 'operator',
  grantBy: 'deployment',
  params,
  body: z.strictObject({
    name: deploymentName.optional(),
    description: description.optional(),
    parent: refOrId.optional(),
  }),
  answer: deployment,
  ifMatch: true,
});

export const deployment_delete = defineOperation({
  id: 'deployment_delete',
  method: 'DELETE',
  path: '/deployments/:deployment',
  summary: 'Delete a deployment that nothing needs',
  access: 'operator',
  grantBy: 'deployment',
  params,
  status: 204,
  ifMatch: true,
});

export const deployment_pause = defineOperation({
  id: 'deployment_pause',
  method: 'POST',
  path: '/deployments/:deployment/pause',
  summary: 'Start no further runs here',
  access: 'operator',
  grantBy: 'deployment',
  params,
  answer: deployment,
});

export const deployment_resume = defineOperation({
  id: 'deployment_resume',
  method: 'POST',
  path: '/deployments/:deployment/resume',
  summary: 'Go on',
  access: 'operator',
  grantBy: 'deployment',
  params,
  answer: deployment,
});
