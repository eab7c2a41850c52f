import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { id } from '../schema.ts';

const name = z
  .string()
  .max(63)
  .regex(/^[a-z][a-z0-9-]*$/, 'starts with a letter; lower case letters, digits, dashes');
const fields = {
  priority: z.number().int().min(0).max(1_000_000).describe('lowest first; no two alike'),
  matcher: z
    .record(z.string().max(128), z.string().max(255))
    .describe(
      '`network.category: admin`, `node.role: web`, `node.label.rack: r1` …; all must hold',
    ),
  template: z
    .string()
    .min(1)
    .max(253)
    .describe('`{{node.name}}`, `d{{node.mac}}` …; the network’s domain is put behind'),
};

export const nameFilter = z.object({ id, name: z.string(), ...fields });

export const name_filter_list = defineOperation({
  id: 'name_filter_list',
  method: 'GET',
  path: '/name-filters',
  summary: 'Which DNS names an address gets; every filter that matches gives one',
  access: 'viewer',
  answer: z.object({ items: z.array(nameFilter) }),
});

export const name_filter_put = defineOperation({
  id: 'name_filter_put',
  method: 'PUT',
  path: '/name-filters/:filter',
  summary: 'Make or change a name filter; every node gets its names anew',
  access: 'operator',
  params: z.object({ filter: name }),
  body: z.strictObject({ ...fields, matcher: fields.matcher.optional() }),
  answer: nameFilter,
});

export const name_filter_delete = defineOperation({
  id: 'name_filter_delete',
  method: 'DELETE',
  path: '/name-filters/:filter',
  summary: 'Delete a name filter',
  access: 'operator',
  params: z.object({ filter: name }),
  status: 204,
});
