import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import {
  at,
  id,
  idParam,
  jsonObject,
  lane,
  listOf,
  pageOf,
  pageQuery,
  queryBoolean,
  queryNumber,
  ref,
  runKind,
  runStatus,
} from '../schema.ts';

export const run = z.object({
  id,
  noderoleId: id,
  nodeId: id,
  node: z.string(),
  roleId: id,
  role: z.string(),
  deploymentId: id,
  deployment: z.string(),
  lane,
  jig: z.string(),
  kind: runKind,
  status: runStatus,
  attempt: z.number().int(),
  worker: z.string().nullable(),
  bootEpoch: z.number().int(),
  deadlineAt: at.nullable(),
  expectsReboot: z.boolean(),
  waitingFor: z.string().nullable(),
  cause: z.string(),
  error: z.string().nullable(),
  blame: z.enum(['node', 'content', 'us', 'operator']).nullable(),
  retryable: z.boolean().nullable(),
  logLines: z.number().int(),
  createdAt: at,
  startedAt: at.nullable(),
  endedAt: at.nullable(),
});
export type Run = z.output<typeof run>;

export const logLine = z.object({
  seq: z.number().int(),
  at,
  stream: z.enum(['out', 'err', 'jig']),
  text: z.string(),
});
export type LogLine = z.output<typeof logLine>;

const params = z.object({ run: idParam });

export const run_list = defineOperation({
  id: 'run_list',
  method: 'GET',
  path: '/runs',
  summary: 'Runs, newest first',
  access: 'viewer',
  query: z.object({
    ...pageQuery,
    status: listOf(runStatus).optional(),
    kind: listOf(runKind).optional(),
    node: listOf(ref).optional(),
    role: listOf(ref).optional(),
    deployment: listOf(ref).optional(),
    noderole: queryNumber(1, Number.MAX_SAFE_INTEGER).optional(),
    live: queryBoolean.optional().describe('running, waiting or cancelling'),
  }),
  answer: pageOf(run),
});

export const run_get = defineOperation({
  id: 'run_get',
  method: 'GET',
  path: '/runs/:run',
  summary: 'One run, with the attributes frozen for it (secrets only as references)',
  access: 'viewer',
  params,
  answer: run.extend({ attribs: jsonObject.nullable() }),
});

export const run_log = defineOperation({
  id: 'run_log',
  method: 'GET',
  path: '/runs/:run/log',
  summary: 'Lines of the log after a sequence number; with `wait`, a long poll',
  access: 'viewer',
  params,
  query: z.object({
    after: queryNumber(-1, 2_147_483_647).optional().describe('-1 or absent: from the start'),
    tail: queryNumber(1, 10_000).optional().describe('only the last lines'),
    limit: queryNumber(1, 10_000).optional().describe('1000 by default'),
    wait: queryNumber(0, 30).optional().describe('seconds to wait for a line if there is none'),
  }),
  answer: z.object({
    lines: z.array(logLine),
    after: z.number().int().describe('go on from here'),
    ended: z.boolean().describe('the run has ended and these are its last lines'),
    status: runStatus,
  }),
});

/** Events `line` (data: LogLine, id: seq) and at last `end` (data: {status}). */
export const run_log_stream = defineOperation({
  id: 'run_log_stream',
  method: 'GET',
  path: '/runs/:run/log/stream',
  summary: 'The log as server-sent events, from Last-Event-ID on, until the run has ended',
  access: 'viewer',
  params,
  query: z.object({ after: queryNumber(-1, 2_147_483_647).optional() }),
  medium: 'events',
});

export const run_cancel = defineOperation({
  id: 'run_cancel',
  method: 'POST',
  path: '/runs/:run/cancel',
  summary: 'Cancel a run',
  access: 'operator',
  grantBy: 'run',
  params,
  answer: run,
  status: 202,
});
