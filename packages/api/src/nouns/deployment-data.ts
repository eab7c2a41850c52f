import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { id, jsonObject, queryNumber, ref } from '../schema.ts';

const params = z.object({ deployment: ref });

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
