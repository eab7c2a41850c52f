import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at } from '../schema.ts';

const name = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-z][a-z0-9._/-]*$/, 'lower case letters, digits, . _ / -');
/** A value goes in and never comes out. */
export const secret = z.object({ name: z.string(), createdAt: at, updatedAt: at });

export const secret_list = defineOperation({
  id: 'secret_list',
  method: 'GET',
  path: '/secrets',
  summary: 'Names of secrets; values cannot be read back',
  access: 'operator',
  answer: z.object({ items: z.array(secret) }),
});

export const secret_put = defineOperation({
  id: 'secret_put',
  method: 'PUT',
  path: '/secrets/:secret',
  summary: 'Store a secret, sealed',
  access: 'admin',
  params: z.object({ secret: name }),
  body: z.strictObject({ value: z.string().min(1).max(65_536) }),
  answer: secret,
});

export const secret_delete = defineOperation({
  id: 'secret_delete',
  method: 'DELETE',
  path: '/secrets/:secret',
  summary: 'Delete a secret that no hammer or webhook uses',
  access: 'admin',
  params: z.object({ secret: name }),
  status: 204,
});
