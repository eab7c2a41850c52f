import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at, id, jsonObject, pageOf, pageQuery, ref } from '../schema.ts';

export const barclamp = z.object({
  id,
  name: z.string(),
  version: z.string(),
  description: z.string(),
  sourcePath: z.string(),
  contentHash: z.string(),
  data: jsonObject,
  roles: z.array(z.string()),
  revision: z.number().int(),
  importedAt: at,
});

const names = z.array(z.string());
export const importReport = z.object({
  barclamp: z.string(),
  version: z.string(),
  added: names,
  changed: names,
  dropped: names,
  unchanged: names,
  kept: z
    .array(z.object({ role: z.string(), reason: z.string() }))
    .describe('dropped, but something still uses or names it'),
  unresolved: z
    .array(z.object({ role: z.string(), needs: z.string() }))
    .describe('names that no imported barclamp has yet'),
});

export const barclamp_list = defineOperation({
  id: 'barclamp_list',
  method: 'GET',
  path: '/barclamps',
  summary: 'Barclamps that are imported',
  access: 'viewer',
  query: z.object({ ...pageQuery }),
  answer: pageOf(barclamp),
});

export const barclamp_get = defineOperation({
  id: 'barclamp_get',
  method: 'GET',
  path: '/barclamps/:barclamp',
  summary: 'One barclamp',
  access: 'viewer',
  params: z.object({ barclamp: ref }),
  answer: barclamp,
});

/** Either a folder the server can read, or the files themselves (text by relative path). */
export const barclamp_import = defineOperation({
  id: 'barclamp_import',
  method: 'POST',
  path: '/barclamps/import',
  summary: 'Import a barclamp; the same content again changes nothing',
  access: 'admin',
  body: z.union([
    z.strictObject({ folder: z.string().min(1).max(4096) }),
    z.strictObject({
      name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
      files: z.record(z.string().min(1).max(512), z.string().max(4_194_304)),
    }),
  ]),
  answer: importReport,
  bodyLimit: 16 * 1024 * 1024,
  idempotent: true,
});
