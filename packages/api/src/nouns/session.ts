import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { accessRole, at, id, refOrId } from '../schema.ts';
import { password } from './user.ts';

export const me = z.object({
  userId: id.nullable(),
  name: z.string(),
  role: accessRole,
  grants: z.array(z.object({ deploymentId: id, deployment: z.string(), role: accessRole })),
  via: z.enum(['session', 'token']),
  csrf: z.string().nullable().describe('send it as X-CSRF-Token with every change'),
  expiresAt: at.nullable(),
});
export type Me = z.output<typeof me>;

export const session_create = defineOperation({
  id: 'session_create',
  method: 'POST',
  path: '/session',
  summary: 'Sign in with name and password; sets a cookie',
  access: 'anyone',
  body: z.strictObject({ name: z.string().max(128), password: z.string().max(1024) }),
  answer: me,
  status: 201,
});

export const session_link_use = defineOperation({
  id: 'session_link_use',
  method: 'POST',
  path: '/session/link',
  summary: 'Sign in with the token of a one-time link; sets a cookie',
  access: 'anyone',
  body: z.strictObject({ token: z.string().max(256) }),
  answer: me,
  status: 201,
});

export const session_get = defineOperation({
  id: 'session_get',
  method: 'GET',
  path: '/session',
  summary: 'Who am I, and what may I do',
  access: 'viewer',
  answer: me,
});

export const session_delete = defineOperation({
  id: 'session_delete',
  method: 'DELETE',
  path: '/session',
  summary: 'Sign out',
  access: 'viewer',
  status: 204,
});

export const session_password = defineOperation({
  id: 'session_password',
  method: 'PUT',
  path: '/session/password',
  summary: "Change one's own password; other sessions end",
  access: 'viewer',
  body: z.strictObject({ current: z.string().max(1024).optional(), password }),
  status: 204,
});

export const session_link_create = defineOperation({
  id: 'session_link_create',
  method: 'POST',
  path: '/session/links',
  summary: 'Make a one-time sign-in link for a user; good for 15 minutes',
  access: 'admin',
  body: z.strictObject({ user: refOrId }),
  answer: z.object({ url: z.string(), token: z.string(), expiresAt: at }),
  status: 201,
});
