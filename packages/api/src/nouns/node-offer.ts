import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at, id, ref } from '../schema.ts';
import { node } from './node.ts';

export const node_offers = defineOperation({
  id: 'node_offers',
  method: 'GET',
  path: '/node-offers',
  summary: 'Machines of deleted nodes that came again and wait to be adopted',
  access: 'viewer',
  answer: z.object({
    items: z.array(
      z.object({
        id,
        name: z.string(),
        serial: z.string().nullable(),
        macs: z.array(z.string()),
        deletedAt: at,
        offeredAt: at.describe('told at most once an hour'),
      }),
    ),
  }),
});

export const node_adopt = defineOperation({
  id: 'node_adopt',
  method: 'POST',
  path: '/node-offers/:node/adopt',
  summary: 'Take a deleted node back; its machine may join again',
  access: 'operator',
  params: z.object({ node: ref }),
  answer: node,
  idempotent: true,
});
