import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at, id, jsonObject, listOf, queryNumber, ref } from '../schema.ts';

/** `cursor` is "position.id": the order of commit, and the id of each message of the stream. */
export const event = z.object({
  cursor: z.string(),
  id,
  kind: z.string(),
  at,
  deploymentId: id.nullable(),
  nodeId: id.nullable(),
  noderoleId: id.nullable(),
  runId: id.nullable(),
  payload: jsonObject,
});
export type Event = z.output<typeof event>;

export const eventCursor = z.string().regex(/^\d{1,18}(\.\d{1,18})?$/, 'like 120.4711');

const filter = {
  kind: listOf(z.string().max(64)).optional().describe('`node.*` takes a whole family'),
  deployment: ref.optional(),
  node: ref.optional(),
  noderole: queryNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  run: queryNumber(1, Number.MAX_SAFE_INTEGER).optional(),
};

export const event_list = defineOperation({
  id: 'event_list',
  method: 'GET',
  path: '/events/list',
  summary: 'Events, newest first, or in order after a cursor',
  access: 'viewer',
  query: z.object({
    ...filter,
    after: eventCursor.optional().describe('events after this one, oldest first'),
    before: queryNumber(1, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('events with a smaller id, newest first'),
    limit: queryNumber(1, 1000).optional(),
  }),
  answer: z.object({ items: z.array(event), next: z.string().nullable() }),
});

/** Without Last-Event-ID or `after` it begins with what comes next. Kinds are the event names. */
export const event_stream = defineOperation({
  id: 'event_stream',
  method: 'GET',
  path: '/events',
  summary: 'Events as they happen (server-sent events), resumable by Last-Event-ID',
  access: 'viewer',
  query: z.object({ ...filter, after: eventCursor.optional() }),
  medium: 'events',
});
