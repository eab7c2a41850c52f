/**
 * barclamp.yml as a value. Strict: an unknown key is a mistake, not an extension. Every fault names
 * the field it is about, and all faults are told at once.
 */
import { z } from 'zod';
import { checkSchema, checkValue } from '../attribs/check-data.ts';
import type { Refusal } from '../errors.ts';
import { ROLE_FLAGS, type Attrib } from '../role/role.ts';
import { LANES } from '../run/status.ts';

const NAME = /^[a-z][a-z0-9_-]*$/;
const name = z
  .string()
  .min(1)
  .max(100, 'is longer than 100 characters')
  .regex(NAME, 'must be lower case letters, digits, - and _, and begin with a letter');
const text = z.string().max(4000, 'is longer than 4000 characters');
const names = z.array(name).max(500).default([]);
const document = z.record(z.string().max(200), z.json()).default({});

const attribSchema = z.strictObject({
  name,
  description: text.default(''),
  path: z
    .string()
    .max(500)
    .regex(/^[^/]+(\/[^/]+)*$/, 'must be keys separated by single slashes')
    .optional(),
  schema: z.record(z.string(), z.json()).optional(),
  default: z.json().optional(),
  secret: z.boolean().default(false),
  volatile: z.boolean().default(false),
});

const roleSchema = z.strictObject({
  name,
  description: text.default(''),
  jig: name,
  lane: z.enum(LANES).default('host'),
  // `server` is the older word for `service`
  flags: z
    .array(z.enum([...ROLE_FLAGS, 'server']))
    .default([])
    .transform((flags) => [
      ...new Set(flags.map((flag) => (flag === 'server' ? 'service' : flag))),
    ]),
  requires: names,
  after: names,
  provides: names,
  conflicts: names,
  wants: names,
  attribs: z.array(attribSchema).max(500).default([]),
  priority: z.int().min(-1000).max(1000).default(0),
  deadlineSeconds: z.int().min(1).max(604_800).default(3600),
  retry: z
    .strictObject({
      limit: z.int().min(0).max(100).default(0),
      backoffSeconds: z.int().min(0).max(86_400).default(10),
    })
    .default({ limit: 0, backoffSeconds: 10 }),
  teardown: z.boolean().default(false),
  data: document,
  config: document,
});

const manifestSchema = z.strictObject({
  name,
  version: z.string().min(1).max(50),
  description: text.default(''),
  data: document,
  attribs: z.array(attribSchema).max(1000).default([]),
  roles: z.array(roleSchema).max(2000).default([]),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type ManifestRole = Manifest['roles'][number];
export type ManifestAttrib = ManifestRole['attribs'][number];

export const attribPath = (attrib: ManifestAttrib): string[] =>
  (attrib.path ?? attrib.name).split('/');

const clip = (message: string): string =>
  message.length > 300 ? `${message.slice(0, 300)}...` : message;

const asAttrib = (attrib: ManifestAttrib, role: string | null): Attrib => ({
  name: attrib.name,
  role,
  path: attribPath(attrib),
  description: attrib.description,
  schema: attrib.schema ?? null,
  fallback: attrib.default,
  secret: attrib.secret,
  volatile: attrib.volatile,
});

const checkAttrib = (attrib: ManifestAttrib, path: string): Refusal[] => {
  if (attrib.schema !== undefined) {
    const fault = checkSchema(attrib.schema);
    if (fault !== null)
      return [
        {
          code: 'schema',
          path: `${path}.schema`,
          message: clip(`${attrib.name}: not a usable JSON Schema: ${fault}`),
        },
      ];
  }
  return attrib.default === undefined
    ? []
    : checkValue(asAttrib(attrib, null), attrib.default, '').map((refusal) => ({
        ...refusal,
        path: `${path}.default`,
      }));
};

const twice = (list: readonly string[], path: (index: number) => string, what: string): Refusal[] =>
  list.flatMap((item, index) =>
    list.indexOf(item) === index
      ? []
      : [{ code: 'duplicate', path: path(index), message: `${what} ${item} is there twice` }],
  );

/** What JSON Schema and zod cannot say: names given twice, exclusive flags, roles that need themselves. */
const checkMeaning = (manifest: Manifest): Refusal[] => {
  const refusals = twice(
    manifest.roles.map((role) => role.name),
    (index) => `roles.${index}.name`,
    'role',
  );
  const attribs = [
    ...manifest.attribs.map((attrib, index) => ({ attrib, path: `attribs.${index}` })),
    ...manifest.roles.flatMap((role, at) =>
      role.attribs.map((attrib, index) => ({ attrib, path: `roles.${at}.attribs.${index}` })),
    ),
  ];
  refusals.push(
    ...twice(
      attribs.map(({ attrib }) => attrib.name),
      (index) => `${attribs[index]?.path ?? ''}.name`,
      'attribute',
    ),
    ...attribs.flatMap(({ attrib, path }) => checkAttrib(attrib, path)),
  );
  manifest.roles.forEach((role, index) => {
    const refuse = (field: string, message: string) =>
      refusals.push({ code: 'bad_role', path: `roles.${index}.${field}`, message });
    for (const field of ['requires', 'after', 'conflicts', 'provides'] as const)
      if (role[field].includes(role.name)) refuse(field, `role ${role.name} names itself`);
    if (
      role.flags.includes('abstract') &&
      role.flags.some((flag) => flag === 'discovery' || flag === 'bootstrap')
    )
      refuse(
        'flags',
        `role ${role.name} is abstract, so it cannot be bound by itself (discovery, bootstrap)`,
      );
    if (role.flags.includes('destructive') && role.flags.includes('discovery'))
      refuse(
        'flags',
        `role ${role.name} is destructive, so it cannot be bound to every new node (discovery)`,
      );
    const both = role.requires.filter((other) => role.conflicts.includes(other));
    if (both.length > 0)
      refuse('conflicts', `role ${role.name} requires and conflicts with ${both.join(', ')}`);
  });
  return refusals;
};

export type ManifestResult =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

export const parseManifest = (value: unknown): ManifestResult => {
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success)
    return {
      ok: false,
      refusals: parsed.error.issues.map((issue) => ({
        code: 'bad_field',
        path: clip(issue.path.map(String).join('.')),
        message: clip(`${issue.path.map(String).join('.') || 'barclamp.yml'}: ${issue.message}`),
      })),
    };
  const refusals = checkMeaning(parsed.data);
  return refusals.length > 0 ? { ok: false, refusals } : { ok: true, manifest: parsed.data };
};
