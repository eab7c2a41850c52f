import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { disk, id, ref, refusal } from '../schema.ts';

const params = z.object({ node: ref });
const named = z
  .array(z.string().max(255))
  .max(64)
  .describe('names or serials of exactly the disks that will be lost');

export const node_reinstall_plan = defineOperation({
  id: 'node_reinstall_plan',
  method: 'GET',
  path: '/nodes/:node/reinstall',
  summary: 'What installing this node again would erase',
  access: 'viewer',
  params,
  query: z.object({
    role: z
      .enum(['provisioner-os-install', 'provisioner-erase'])
      .optional()
      .describe('of which role; the installation if it is not said'),
  }),
  answer: z.object({
    noderoleId: id,
    node: z.string(),
    os: z.string(),
    disks: z.array(disk),
    refusals: z.array(refusal),
  }),
});

export const node_reinstall = defineOperation({
  id: 'node_reinstall',
  method: 'POST',
  path: '/nodes/:node/reinstall',
  summary: 'Install this node again; the disks named are the consent, good for one run',
  access: 'operator',
  grantBy: 'node',
  params,
  body: z.strictObject({ disks: named }),
  answer: z.object({ noderoleId: id, os: z.string(), disks: z.array(disk) }),
  status: 202,
  idempotent: true,
});

export const node_release = defineOperation({
  id: 'node_release',
  method: 'POST',
  path: '/nodes/:node/release',
  summary:
    'Give a machine back: roles unbound and torn down, addresses released, then its disks erased if asked',
  access: 'operator',
  params,
  body: z
    .strictObject({
      erase: z
        .strictObject({ disks: named, how: z.enum(['quick', 'full']).optional() })
        .optional()
        .describe('erase its disks; the disks named are the consent'),
    })
    .optional(),
  answer: z.object({
    node: z.string(),
    left: z.array(z.string()).describe('deployments it was taken out of'),
    pending: z.array(z.string()).describe('roles still being torn down'),
    addresses: z.array(z.string()).describe('addresses that are in quarantine now'),
    erasing: z.array(disk).describe('disks whose erasure has begun'),
    toErase: z
      .array(disk)
      .describe('disks erased next, once nothing is pending and if they are still exactly these'),
  }),
  status: 202,
});

export const node_rescue = defineOperation({
  id: 'node_rescue',
  method: 'POST',
  path: '/nodes/:node/rescue',
  summary: 'Boot this node into the rescue system, once; no disk is written',
  access: 'operator',
  grantBy: 'node',
  params,
  answer: z.object({
    intentId: id,
    restarted: z.boolean().describe('false: somebody has to restart it by hand'),
    text: z.string(),
  }),
  status: 202,
});
