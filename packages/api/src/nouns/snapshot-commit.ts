import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { BULK_LIMIT, idParam, message, noderoleState, refOrId } from '../schema.ts';
import { snapshot } from './snapshot.ts';

const params = z.object({ snapshot: idParam });

export const snapshot_commit = defineOperation({
  id: 'snapshot_commit',
  method: 'POST',
  path: '/snapshots/:snapshot/commit',
  summary: 'Commit a proposal; with a plan hash, only if the plan still holds',
  access: 'operator',
  grantBy: 'snapshot',
  params,
  body: z
    .strictObject({
      plan: z.string().max(128).optional(),
      message: message.optional(),
      rollingLimit: z.number().int().min(1).max(100_000).optional(),
      canary: z.number().int().min(1).max(100_000).optional(),
      stopAfterFailures: z.number().int().min(1).max(100_000).optional(),
      consent: z
        .array(
          z.strictObject({
            role: refOrId,
            node: refOrId,
            disks: z.array(z.string().max(255)).max(256),
          }),
        )
        .max(BULK_LIMIT)
        .optional()
        .describe('leave to do what is destructive in the plan, by disk'),
    })
    .optional(),
  answer: snapshot,
  idempotent: true,
  ifMatch: true,
});

export const snapshot_recall = defineOperation({
  id: 'snapshot_recall',
  method: 'POST',
  path: '/snapshots/:snapshot/recall',
  summary: 'Stop a commit that is being carried out; its content becomes a proposal again',
  access: 'operator',
  grantBy: 'snapshot',
  params,
  body: z.strictObject({ running: z.enum(['drain', 'cancel']).optional() }).optional(),
  answer: snapshot,
  idempotent: true,
});

export const snapshot_progress = defineOperation({
  id: 'snapshot_progress',
  method: 'GET',
  path: '/snapshots/:snapshot/progress',
  summary: 'How far a commit has come',
  access: 'viewer',
  params,
  answer: z.object({
    position: z.string(),
    total: z.number().int(),
    done: z.number().int(),
    failed: z.number().int(),
    states: z.record(noderoleState, z.number().int()),
    byCohort: z.array(
      z.object({
        cohort: z.number().int(),
        total: z.number().int(),
        done: z.number().int(),
        failed: z.number().int(),
      }),
    ),
    finished: z.boolean().describe('nothing more will happen by itself'),
    haltedReason: z.string().nullable(),
  }),
});
