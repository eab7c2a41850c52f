import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at, id, jsonObject, queryNumber, runStatus } from '../schema.ts';

export const ANNEALER_MODES = ['auto', 'manual', 'drain'] as const;

export const annealer = z.object({
  mode: z.enum(ANNEALER_MODES),
  workers: z.array(
    z.object({
      id,
      name: z.string(),
      startedAt: at,
      leaseUntil: at,
      alive: z.boolean(),
      draining: z.boolean(),
      concurrency: z.number().int(),
      status: jsonObject,
    }),
  ),
  runs: z
    .partialRecord(runStatus, z.number().int())
    .describe('live and queued runs; failed in the last day'),
  ready: z.number().int().describe('noderoles that may be claimed as soon as a lane is free'),
  held: z.record(z.string(), z.number().int()).describe('todo, but held back, by reason'),
  oldestReadySeconds: z.number().nullable(),
});
export type Annealer = z.output<typeof annealer>;

export const annealer_get = defineOperation({
  id: 'annealer_get',
  method: 'GET',
  path: '/annealer',
  summary: 'Mode, workers, what runs and what waits',
  access: 'viewer',
  answer: annealer,
});

export const annealer_patch = defineOperation({
  id: 'annealer_patch',
  method: 'PATCH',
  path: '/annealer',
  summary: 'auto; manual = only on demand; drain = start nothing more',
  access: 'operator',
  body: z.strictObject({ mode: z.enum(ANNEALER_MODES) }),
  answer: annealer,
});

export const annealer_once = defineOperation({
  id: 'annealer_once',
  method: 'POST',
  path: '/annealer/once',
  summary: 'In manual mode: one pass',
  access: 'operator',
  answer: z.object({ requested: z.boolean() }),
  status: 202,
});

/** Equal steps; entry i of each array is about the step that begins at start + i * stepSeconds. */
export const annealer_series = defineOperation({
  id: 'annealer_series',
  method: 'GET',
  path: '/annealer/series',
  summary: 'Throughput and concurrency over time',
  access: 'viewer',
  query: z.object({
    minutes: queryNumber(1, 24 * 60)
      .optional()
      .describe('60 by default'),
    stepSeconds: queryNumber(1, 3600)
      .optional()
      .describe('such that there are about 120 steps by default'),
  }),
  answer: z.object({
    start: at,
    stepSeconds: z.number().int(),
    succeeded: z.array(z.number().int()),
    failed: z.array(z.number().int()),
    running: z.array(z.number()).describe('runs at once, at the end of each step'),
    concurrency: z.number().int().describe('what the live workers allow now'),
  }),
});
