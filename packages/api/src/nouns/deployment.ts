import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import {
  at,
  deploymentName,
  description,
  id,
  jsonObject,
  noderoleState,
  queryBoolean,
  queryNumber,
  ref,
  refOrId,
  refusal,
  why,
} from '../schema.ts';

const counts = z.object({
  proposed: z.number().int(),
  blocked: z.number().int(),
  todo: z.number().int(),
  transition: z.number().int(),
  active: z.number().int(),
  error: z.number().int(),
});

export const deployment = z.object({
  id,
  name: z.string(),
  description: z.string(),
  parentId: id.nullable(),
  depth: z.number().int(),
  system: z.boolean(),
  paused: z.boolean(),
  nodes: z.number().int(),
  noderoles: counts,
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

const directData = {
  method: 'PUT',
  access: 'admin',
  body: z.strictObject({ data: jsonObject }),
  answer: z.object({
    revision: z.number().int().nullable().describe('in force now'),
    changed: z.boolean(),
    rerun: z.number().int().describe('noderoles that run again, here and below'),
    drifted: z.number().int().describe('destructive noderoles, which do not'),
  }),
} as const;

/** Only the system deployment: all others are changed by a proposal. */
export const deployment_data = defineOperation({
  ...directData,
  id: 'deployment_data',
  path: '/deployments/:deployment/data',
  summary: "Set the system deployment's own data, at once: it is never proposed",
  params,
});

export const deployment_role_data = defineOperation({
  ...directData,
  id: 'deployment_role_data',
  path: '/deployments/:deployment/roles/:role/data',
  summary: 'Set the data of a role in the system deployment, at once',
  params: params.extend({ role: ref }),
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

export const deployment_why = defineOperation({
  id: 'deployment_why',
  method: 'GET',
  path: '/deployments/:deployment/why',
  summary: 'What keeps this deployment from being done: causes, the one that holds back most first',
  access: 'viewer',
  params,
  answer: z.object({
    sentence: z.string(),
    done: z.boolean(),
    noderoles: counts,
    causes: z.array(why.extend({ holdsBack: z.number().int() })),
  }),
});

/**
 * Nodes x roles. Cell i is about noderole ids[i], node nodes[node[i]], role roles[role[i]].
 * state is an index into `states`; bits: 1 degraded, 2 drifted, 4 held, 8 removing, 16 live run.
 */
export const deployment_matrix = defineOperation({
  id: 'deployment_matrix',
  method: 'GET',
  path: '/deployments/:deployment/matrix',
  summary: 'The noderoles of a deployment in a compact columnar form; with ETag',
  access: 'viewer',
  params,
  query: z.object({
    under: queryBoolean.optional().describe('true: deployments below it too'),
    snapshot: queryNumber(1, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('id of a proposed snapshot: its bindings appear as proposed cells, with id 0'),
  }),
  answer: z.object({
    position: z.string(),
    states: z.array(noderoleState),
    nodes: z.array(
      z.object({
        id,
        name: z.string(),
        alive: z.boolean(),
        available: z.boolean(),
        admin: z.boolean(),
      }),
    ),
    roles: z.array(
      z.object({
        id,
        name: z.string(),
        milestone: z.boolean(),
        cohort: z.number().int(),
        inDeployment: z.boolean(),
      }),
    ),
    ids: z.array(z.number().int()),
    node: z.array(z.number().int()),
    role: z.array(z.number().int()),
    state: z.array(z.number().int()),
    bits: z.array(z.number().int()),
  }),
});

export const deployment_graph = defineOperation({
  id: 'deployment_graph',
  method: 'GET',
  path: '/deployments/:deployment/graph',
  summary: 'Noderoles and edges of a deployment, with those of other deployments they hang on',
  access: 'viewer',
  params,
  query: z.object({
    node: ref.optional(),
    role: ref.optional(),
    limit: queryNumber(1, 20_000).optional().describe('most noderoles given; 2000 by default'),
  }),
  answer: z.object({
    position: z.string(),
    truncated: z.boolean(),
    noderoles: z.array(
      z.object({
        id,
        node: z.string(),
        nodeId: id,
        role: z.string(),
        roleId: id,
        deploymentId: id,
        state: noderoleState,
        cohort: z.number().int(),
        degraded: z.boolean(),
        drifted: z.boolean(),
        blockedBy: id.nullable(),
        reason: z.string(),
        foreign: z.boolean().describe('belongs to another deployment'),
      }),
    ),
    edges: z.array(z.tuple([id, id, z.boolean()])).describe('parent, child, soft'),
  }),
});

export const deploymentRole = z.object({
  roleId: id,
  role: z.string(),
  milestone: z.boolean(),
  data: jsonObject,
  bindings: z.number().int(),
});

export const deployment_role_list = defineOperation({
  id: 'deployment_role_list',
  method: 'GET',
  path: '/deployments/:deployment/roles',
  summary: 'Roles taken into a deployment, with the data for all their nodes',
  access: 'viewer',
  params,
  query: z.object({
    revision: queryNumber(1, 2_147_483_647)
      .optional()
      .describe('as of this revision; the newest if absent'),
  }),
  answer: z.object({ revision: z.number().int().nullable(), items: z.array(deploymentRole) }),
});

export const deploymentBinding = z.object({
  role: z.string(),
  node: z.string(),
  reason: z.string(),
});

export const deployment_explain_binding = defineOperation({
  id: 'deployment_explain_binding',
  method: 'POST',
  path: '/deployments/:deployment/explain-binding',
  summary:
    'Would these roles take these nodes, why not, and what would be pulled in; changes nothing',
  access: 'viewer',
  params,
  body: z.strictObject({
    nodes: z.array(refOrId).min(1).max(1000),
    roles: z.array(refOrId).max(500).optional().describe('every offered role if absent'),
  }),
  answer: z.object({
    roles: z.array(
      z.object({
        role: z.string(),
        accepts: z.boolean(),
        refusals: z.array(refusal),
        pulledIn: z.array(deploymentBinding),
        alreadyBound: z.array(z.string()).describe('nodes that have it already'),
      }),
    ),
  }),
});
