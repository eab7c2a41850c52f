import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { disk, id, idParam, refusal } from '../schema.ts';

const params = z.object({ snapshot: idParam });

const planItem = z.object({
  role: z.string(),
  node: z.string(),
  roleId: id,
  nodeId: id,
  noderoleId: id.nullable(),
});
export const plan = z.object({
  snapshotId: id,
  deploymentId: id,
  revision: z.number().int(),
  hash: z.string(),
  add: z.array(planItem),
  change: z.array(planItem.extend({ what: z.array(z.enum(['data', 'parents', 'order'])) })),
  rerun: z.array(planItem),
  teardown: z.array(planItem.extend({ how: z.enum(['teardown', 'forget']) })),
  keep: z.number().int().describe('noderoles that stay as they are'),
  pulledIn: z.array(z.object({ role: z.string(), node: z.string(), reason: z.string() })),
  destructive: z.array(planItem.extend({ disks: z.array(disk), effect: z.string() })),
  refusals: z.array(refusal),
  effects: z
    .array(
      z.object({
        kind: z.string().describe('disk, boot, dhcp, address, dns, problem'),
        subject: z.string().describe('name of the node'),
        text: z.string(),
      }),
    )
    .describe('what the commit does beyond noderoles, in words; part of what the hash covers'),
});
export type Plan = z.output<typeof plan>;

export const snapshot_plan = defineOperation({
  id: 'snapshot_plan',
  method: 'GET',
  path: '/snapshots/:snapshot/plan',
  summary: 'What a commit would do, with a hash to commit by',
  access: 'viewer',
  params,
  answer: plan,
});
