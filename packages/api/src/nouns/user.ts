import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { accessRole, at, id, pageOf, pageQuery, ref, refOrId } from '../schema.ts';

export const user = z.object({
  id,
  name: z.string(),
  role: accessRole,
  disabled: z.boolean(),
  hasPassword: z.boolean(),
  grants: z.array(z.object({ deploymentId: id, deployment: z.string(), role: accessRole })),
  createdAt: at,
});
export type User = z.output<typeof user>;
export const userName = z
  .string()
  .regex(/^[a-z][a-z0-9._@-]{0,127}$/, 'starts with a letter; lower case letters, digits, . _ @ -');
export const password = z.string().min(10, 'at least 10 characters').max(1024);
const params = z.object({ user: ref });

export const user_list = defineOperation({
  id: 'user_list',
  method: 'GET',
  path: '/users',
  summary: 'Users',
  access: 'admin',
  query: z.object({ ...pageQuery }),
  answer: pageOf(user),
});

export const user_create = defineOperation({
  id: 'user_create',
  method: 'POST',
  path: '/users',
  summary: 'Make a user; without a password only a sign-in link lets them in',
  access: 'admin',
  body: z.strictObject({ name: userName, role: accessRole, password: password.optional() }),
  answer: user,
  status: 201,
});

export const user_get = defineOperation({
  id: 'user_get',
  method: 'GET',
  path: '/users/:user',
  summary: 'One user',
  access: 'admin',
  params,
  answer: user,
});

export const user_patch = defineOperation({
  id: 'user_patch',
  method: 'PATCH',
  path: '/users/:user',
  summary: 'Change role or password, disable; a disabled user is signed out at once',
  access: 'admin',
  params,
  body: z.strictObject({
    role: accessRole.optional(),
    password: password.nullable().optional(),
    disabled: z.boolean().optional(),
  }),
  answer: user,
});

export const user_delete = defineOperation({
  id: 'user_delete',
  method: 'DELETE',
  path: '/users/:user',
  summary: 'Delete a user with sessions and tokens; the last admin stays',
  access: 'admin',
  params,
  status: 204,
});

export const user_grants = defineOperation({
  id: 'user_grants',
  method: 'PUT',
  path: '/users/:user/grants',
  summary: 'What the user may do in single deployments and below them',
  access: 'admin',
  params,
  body: z.strictObject({
    grants: z.array(z.strictObject({ deployment: refOrId, role: accessRole })).max(1000),
  }),
  answer: user,
});
