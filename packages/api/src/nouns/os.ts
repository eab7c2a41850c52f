import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at, id, idParam, jsonObject, ref, refusal } from '../schema.ts';

export const osTemplate = z.object({
  name: z.string(),
  title: z.string(),
  family: z.string(),
  version: z.string(),
  kind: z.enum(['preseed', 'autoinstall', 'kickstart', 'image']),
  bootenv: z.string(),
  bootable: z.boolean().describe('every file it boots is registered'),
  missing: z.array(z.string()),
  contentHash: z.string(),
  importedAt: at,
});

const params = z.object({ os: z.string().max(63) });

export const os_list = defineOperation({
  id: 'os_list',
  method: 'GET',
  path: '/os-templates',
  summary: 'Operating systems that can be installed',
  access: 'viewer',
  answer: z.object({ items: z.array(osTemplate) }),
});

export const os_get = defineOperation({
  id: 'os_get',
  method: 'GET',
  path: '/os-templates/:os',
  summary: 'One OS template with its data and files',
  access: 'viewer',
  params,
  answer: osTemplate.extend({
    data: jsonObject,
    files: z.array(z.object({ name: z.string(), text: z.string() })),
  }),
});

/** What an installation would do. No token in it is a real one, and no password hash is shown. */
export const osPreview = z.object({
  os: z.string(),
  node: z.string(),
  nodeId: id,
  noderoleId: id.nullable().describe('whose attributes were used; null: the defaults of the role'),
  refusals: z.array(refusal).describe('why it cannot be installed as things are; then no files'),
  plan: jsonObject.nullable(),
  files: z.array(z.object({ name: z.string(), text: z.string() })),
});

export const os_preview = defineOperation({
  id: 'os_preview',
  method: 'GET',
  path: '/os-templates/:os/preview',
  summary: 'The files of an OS template as a node would get them',
  access: 'viewer',
  params,
  query: z.object({
    node: ref,
    noderole: idParam.optional().describe('with the attributes of this noderole'),
  }),
  answer: osPreview,
});
