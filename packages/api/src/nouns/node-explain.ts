import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { jsonObject, ref, why } from '../schema.ts';

const params = z.object({ node: ref });

export const node_attribs = defineOperation({
  id: 'node_attribs',
  method: 'GET',
  path: '/nodes/:node/attribs',
  summary: 'Attributes of the node itself, each with the layer it comes from',
  access: 'viewer',
  params,
  answer: z.object({
    items: z.array(
      z.object({
        name: z.string(),
        path: z.string(),
        value: z.json(),
        layer: z.string(),
        from: z.string(),
        schema: jsonObject.nullable(),
      }),
    ),
  }),
});

export const node_why = defineOperation({
  id: 'node_why',
  method: 'GET',
  path: '/nodes/:node/why',
  summary: 'The one cause that keeps this node from being done, and the command that clears it',
  access: 'viewer',
  params,
  answer: why,
});
