import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { label, ref } from '../schema.ts';
import { node } from './node.ts';

export const node_label_set = defineOperation({
  id: 'node_label_set',
  method: 'PUT',
  path: '/nodes/:node/labels/:label',
  summary: 'Set one label',
  access: 'operator',
  grantBy: 'node',
  params: z.object({ node: ref, label }),
  body: z.strictObject({ value: z.string().max(1024) }),
  answer: node,
});

export const node_label_delete = defineOperation({
  id: 'node_label_delete',
  method: 'DELETE',
  path: '/nodes/:node/labels/:label',
  summary: 'Take one label off',
  access: 'operator',
  grantBy: 'node',
  params: z.object({ node: ref, label }),
  status: 204,
});
