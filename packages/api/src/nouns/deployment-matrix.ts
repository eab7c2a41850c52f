import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { id, noderoleState, queryBoolean, queryNumber, ref } from '../schema.ts';

const params = z.object({ deployment: ref });

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
