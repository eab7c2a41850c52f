import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { BULK_LIMIT, bulkResult, labelsPatch, refOrId } from '../schema.ts';

/** Per item: what happened to it. One item that is refused does not stop the others. */
export const node_bulk = defineOperation({
  id: 'node_bulk',
  method: 'POST',
  path: '/nodes/bulk',
  summary: 'One action on many nodes, with a result for each',
  access: 'operator',
  body: z.discriminatedUnion('action', [
    z.strictObject({
      action: z.literal('labels'),
      nodes: z.array(refOrId).min(1).max(BULK_LIMIT),
      labels: labelsPatch,
    }),
    z.strictObject({
      action: z.literal('available'),
      nodes: z.array(refOrId).min(1).max(BULK_LIMIT),
      available: z.boolean(),
    }),
    z.strictObject({
      action: z.literal('move'),
      nodes: z.array(refOrId).min(1).max(BULK_LIMIT),
      deployment: refOrId,
    }),
    z.strictObject({ action: z.literal('retry'), nodes: z.array(refOrId).min(1).max(BULK_LIMIT) }),
    z.strictObject({
      action: z.literal('delete'),
      nodes: z.array(refOrId).min(1).max(BULK_LIMIT),
      abandon: z.boolean().optional(),
    }),
  ]),
  answer: bulkResult,
  idempotent: true,
});
