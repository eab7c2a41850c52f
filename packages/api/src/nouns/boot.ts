import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { bootFile } from './boot-file.ts';
import { at, id, idParam, jsonObject, pageOf, pageQuery, queryBoolean, ref } from '../schema.ts';

const count = z.number().int();

export const BOOT_EVENT_KINDS = [
  'power',
  'dhcp',
  'tftp',
  'script',
  'file',
  'console',
  'phase',
  'callback',
  'join',
  'hello',
  'refused',
] as const;

export const bootenv = z.object({
  name: z.string(),
  kind: z.enum(['local', 'discovery', 'install', 'rescue', 'memtest']),
  description: z.string(),
  kernel: z.string(),
  initrds: z.array(z.string()),
  cmdline: z.string(),
  os: z.string().nullable().describe('OS template it installs'),
  bootable: z.boolean().describe('every file it needs is registered'),
  missing: z.array(z.string()).describe('files it needs that are not'),
  nodes: count.describe('nodes whose boot environment it is'),
});

export const bootIntent = z.object({
  id,
  nodeId: id.nullable(),
  node: z.string().nullable(),
  mac: z.string().nullable(),
  bootenv: z.string(),
  runId: id.nullable(),
  state: z.enum(['open', 'used', 'void', 'expired']),
  reason: z.string().nullable().describe('why it is void'),
  createdAt: at,
  expiresAt: at,
  usedAt: at.nullable(),
});

/** One boot attempt of one machine. */
export const boot = z.object({
  id,
  nodeId: id.nullable(),
  node: z.string().nullable(),
  mac: z.string().nullable(),
  systemUuid: z.string().nullable(),
  firmware: z.string(),
  intentId: id.nullable(),
  bootenv: z.string().nullable().describe('of its intent'),
  startedAt: at,
  scriptAt: at.nullable().describe('when it was told what to boot'),
  helloAt: at.nullable().describe('when its agent said hello: the boot has come to its end'),
  outcome: z
    .enum(['installed', 'erased', 'failed', 'rescue'])
    .nullable()
    .describe('what it came to where no agent says hello at its end'),
  lastAt: at.nullable(),
  lastText: z.string().nullable().describe('the last thing seen'),
  events: count,
  refused: count.describe('how many of them are refusals'),
});

export const bootEvent = z.object({
  at,
  seconds: z.number().describe('since the attempt began'),
  kind: z.enum(BOOT_EVENT_KINDS),
  text: z.string(),
  detail: jsonObject,
});

const bootParams = z.object({ boot: idParam });

export const boot_list = defineOperation({
  id: 'boot_list',
  method: 'GET',
  path: '/boots',
  summary: 'Boot attempts, the newest first: of one node, of one MAC, of strangers, or all',
  access: 'viewer',
  query: z.object({
    ...pageQuery,
    node: ref.optional(),
    mac: z.string().max(17).optional(),
    strangers: queryBoolean.optional().describe('only machines that are no node'),
  }),
  answer: pageOf(boot),
});

export const boot_get = defineOperation({
  id: 'boot_get',
  method: 'GET',
  path: '/boots/:boot',
  summary: 'One boot attempt with its timeline',
  access: 'viewer',
  params: bootParams,
  answer: boot.extend({ timeline: z.array(bootEvent) }),
});

export const boot_text = defineOperation({
  id: 'boot_text',
  method: 'GET',
  path: '/boots/:boot/text',
  summary: 'The timeline as a text file a person can send to somebody',
  access: 'viewer',
  params: bootParams,
  medium: 'text',
});

export const boot_intent_list = defineOperation({
  id: 'boot_intent_list',
  method: 'GET',
  path: '/boot-intents',
  summary: 'Decisions about boots, the newest first',
  access: 'viewer',
  query: z.object({
    ...pageQuery,
    node: ref.optional(),
    open: queryBoolean.optional().describe('only those that wait for their boot'),
  }),
  answer: pageOf(bootIntent),
});

export const boot_intent_create = defineOperation({
  id: 'boot_intent_create',
  method: 'POST',
  path: '/nodes/:node/boot-intents',
  summary: 'Decide what the next boot of this node is, once; never an installer',
  access: 'operator',
  grantBy: 'node',
  params: z.object({ node: ref }),
  body: z.strictObject({
    bootenv: z.string().max(63),
    seconds: z.number().int().min(60).max(86_400).optional().describe('how long it waits; 3600'),
  }),
  answer: bootIntent,
  status: 201,
  idempotent: true,
});

export const boot_intent_delete = defineOperation({
  id: 'boot_intent_delete',
  method: 'DELETE',
  path: '/boot-intents/:intent',
  summary: 'Void a decision that was not used; one of a run is ended by cancelling the run',
  access: 'operator',
  params: z.object({ intent: idParam }),
  status: 204,
});

export const bootenv_list = defineOperation({
  id: 'bootenv_list',
  method: 'GET',
  path: '/boot-environments',
  summary: 'What machines can be told to boot',
  access: 'viewer',
  answer: z.object({ items: z.array(bootenv) }),
});

export const bootenv_get = defineOperation({
  id: 'bootenv_get',
  method: 'GET',
  path: '/boot-environments/:bootenv',
  summary: 'One boot environment with the files it boots',
  access: 'viewer',
  params: z.object({ bootenv: z.string().max(63) }),
  answer: bootenv.extend({ files: z.array(bootFile) }),
});

export const bootServer = z.object({
  id,
  name: z.string(),
  kind: z.enum(['dnsmasq', 'kea', 'bind']),
  nodeId: id.nullable(),
  noderoleId: id.nullable(),
  active: z.boolean(),
  current: count.describe('nodes it has proved to hold as they are'),
  behind: count.describe('nodes it does not hold as they are, yet'),
  refused: count.describe('nodes whose data it refused'),
  error: z.string().nullable().describe('why the last feeding failed'),
  fedAt: at.nullable(),
});

export const boot_server_list = defineOperation({
  id: 'boot_server_list',
  method: 'GET',
  path: '/boot-servers',
  summary: 'DHCP and DNS servers that are fed, and how far they have come',
  access: 'viewer',
  answer: z.object({ items: z.array(bootServer) }),
});
