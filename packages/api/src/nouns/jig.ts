import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { jsonObject, ref } from '../schema.ts';

export const jig = z.object({
  name: z.string(),
  description: z.string(),
  active: z.boolean(),
  config: jsonObject,
  roles: z.number().int(),
  liveRuns: z.number().int(),
  owed: z.number().int().describe('nodes it has still to be told of'),
  revision: z.number().int(),
});

export const jig_list = defineOperation({
  id: 'jig_list',
  method: 'GET',
  path: '/jigs',
  summary: 'Jigs and whether they are switched on',
  access: 'viewer',
  answer: z.object({ items: z.array(jig) }),
});

export const jig_get = defineOperation({
  id: 'jig_get',
  method: 'GET',
  path: '/jigs/:jig',
  summary: 'One jig',
  access: 'viewer',
  params: z.object({ jig: ref }),
  answer: jig,
});

export const jig_patch = defineOperation({
  id: 'jig_patch',
  method: 'PATCH',
  path: '/jigs/:jig',
  summary: 'Switch a jig on or off; switched on, it learns of every node',
  access: 'admin',
  params: z.object({ jig: ref }),
  body: z.strictObject({ active: z.boolean() }),
  answer: jig,
  ifMatch: true,
});
