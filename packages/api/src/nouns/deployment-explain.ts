import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { countsByState, ref, refOrId, refusal, why } from '../schema.ts';

const params = z.object({ deployment: ref });

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
    noderoles: countsByState,
    causes: z.array(why.extend({ holdsBack: z.number().int() })),
  }),
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
