import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { id, noderoleState, queryNumber, ref } from '../schema.ts';

const params = z.object({ deployment: ref });

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
