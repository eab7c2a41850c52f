/** Schemas that several nouns share. Limits are here so that no route forgets one. */
import { NODEROLE_STATES } from '@hostwright/core/noderole/state';
import { LANES, RUN_KINDS, RUN_STATUSES } from '@hostwright/core/run/status';
import { z } from 'zod';
import { ROLES } from './operation.ts';

export const id = z.number().int().positive();
export const at = z.iso.datetime({ offset: true }).describe('time, ISO 8601');
/** A name or an id, as it stands in a path or a body. A name never consists of digits only. */
export const ref = z.string().min(1).max(255).describe('name or id');
export const refOrId = z
  .union([ref, id])
  .transform((value) => String(value))
  .describe('name or id');
export const idParam = z.coerce
  .number<number | string>({ error: 'an id is a whole number' })
  .int({ error: 'an id is a whole number' })
  .positive({ error: 'an id is 1 or more' });

export const nodeName = z
  .string()
  .min(1)
  .max(255)
  .regex(
    /^[a-z0-9]([a-z0-9.-]{0,253}[a-z0-9])?$/,
    'lower case letters, digits, dots and dashes; starts and ends with a letter or digit',
  )
  .refine((name) => !/^\d+$/.test(name), 'a name is not a number');
export const deploymentName = z
  .string()
  .max(255)
  .regex(/^[a-z][a-z0-9._-]{0,254}$/, 'starts with a letter; letters, digits, . _ -');
export const description = z.string().max(4096);
export const message = z.string().max(4096);
export const label = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._/-]*$/, 'letters, digits, . _ / -');
export const labels = z.record(label, z.string().max(1024));
/** Merged into what is there; null removes. */
export const labelsPatch = z.record(label, z.string().max(1024).nullable());

export const jsonObject = z.record(z.string().max(255), z.json());
export const accessRole = z.enum(ROLES);
export const noderoleState = z.enum(NODEROLE_STATES);
/** How many noderoles are in each state. */
export const countsByState = z.object({
  proposed: z.number().int(),
  blocked: z.number().int(),
  todo: z.number().int(),
  transition: z.number().int(),
  active: z.number().int(),
  error: z.number().int(),
});
export const runStatus = z.enum(RUN_STATUSES);
export const runKind = z.enum(RUN_KINDS);
export const lane = z.enum(LANES);

const commaSeparated = z
  .union([z.string().max(8192), z.array(z.string().max(1024)).max(1000)])
  .transform((value) => {
    const parts = [value].flat().flatMap((part) => part.split(','));
    const named = parts.map((part) => part.trim()).filter((part) => part !== '');
    return named.length === 0 ? undefined : named;
  });
/** Takes `a,b`, repeated parameters and arrays; gives an array, or nothing if it names nothing. */
export const listOf = <Out extends string>(item: z.ZodType<Out, string>) =>
  commaSeparated.pipe(z.array(item).optional());
/** Like listOf, but a comma is part of the value. */
export const repeated = z
  .union([z.string().max(1024), z.array(z.string().max(1024)).max(100)])
  .transform((value) => (typeof value === 'string' ? [value] : value));
export const queryBoolean = z
  .union([z.boolean(), z.enum(['true', 'false'])])
  .transform((value) => value === true || value === 'true');
export const queryNumber = (least: number, most: number) =>
  z.coerce.number<number | string>().int().min(least).max(most);

/** Query of every list: where to go on, how much, which fields. */
export const pageQuery = {
  cursor: z.string().max(1024).optional().describe('`next` of the page before'),
  limit: queryNumber(1, 1000).optional().describe('items per page, 100 by default'),
  fields: listOf(z.string().max(64)).optional().describe('only these fields of each item'),
};
export const sortQuery = <const Keys extends readonly [string, ...string[]]>(keys: Keys) =>
  z
    .enum([...keys, ...keys.map((key) => `-${key}`)] as unknown as [
      Keys[number] | `-${Keys[number]}`,
    ])
    .optional()
    .describe('`-` in front: descending');

/** `next` is null on the last page. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    next: z.string().nullable(),
    total: z.number().int().optional().describe('only with ?count=true'),
  });

export const refusal = z.object({
  code: z.string(),
  path: z.string().describe('the field or object it is about'),
  message: z.string(),
});

/** A disk that an installation or an erasure would overwrite. */
export const disk = z.object({
  name: z.string(),
  serial: z.string().nullable(),
  bytes: z.number().nullable(),
  holds: z.array(z.string()).optional().describe('what was found on it; absent: nobody looked'),
});

/** RFC 9457. `code` is one of docs/reference/errors.md; `refusals` lists every reason. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  instance: z.string(),
  code: z.string(),
  retryable: z.boolean(),
  requestId: z.string(),
  refusals: z.array(refusal),
});
export type Problem = z.output<typeof problem>;

/** The one cause, in a sentence, and the command that would clear it. */
export const why = z.object({
  sentence: z.string(),
  cause: z
    .object({
      kind: z.string(),
      noderoleId: id.optional(),
      nodeId: id.optional(),
      runId: id.optional(),
      deploymentId: id.optional(),
    })
    .nullable(),
  command: z.string().nullable(),
});
export type Why = z.output<typeof why>;

export const bulkResult = z.object({
  results: z.array(
    z.object({
      ref: z.string(),
      id: id.nullable(),
      ok: z.boolean(),
      code: z.string().optional(),
      message: z.string().optional(),
    }),
  ),
  ok: z.number().int(),
  failed: z.number().int(),
});
export const BULK_LIMIT = 10_000;
