import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at } from '../schema.ts';

export const setting = z.object({
  key: z.string(),
  value: z.json(),
  default: z.json(),
  description: z.string(),
  schema: z.record(z.string(), z.json()),
  updatedAt: at.nullable(),
});
const key = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[a-z][A-Za-z0-9._-]*$/);

export const setting_list = defineOperation({
  id: 'setting_list',
  method: 'GET',
  path: '/settings',
  summary: 'Settings, with defaults and what they mean',
  access: 'viewer',
  answer: z.object({ items: z.array(setting) }),
});

export const setting_put = defineOperation({
  id: 'setting_put',
  method: 'PUT',
  path: '/settings/:key',
  summary: 'Change a setting',
  access: 'admin',
  params: z.object({ key }),
  body: z.strictObject({ value: z.json() }),
  answer: setting,
});

export const setting_reset = defineOperation({
  id: 'setting_reset',
  method: 'DELETE',
  path: '/settings/:key',
  summary: 'Back to the default',
  access: 'admin',
  params: z.object({ key }),
  status: 204,
});
