import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { accessRole, at, id, idParam, refOrId } from '../schema.ts';

export const token = z.object({
  id,
  kind: z.enum(['api', 'signin', 'join']),
  name: z.string(),
  user: z.string().nullable(),
  role: accessRole.nullable(),
  usesLeft: z.number().int().nullable(),
  createdAt: at,
  expiresAt: at.nullable(),
  revokedAt: at.nullable(),
  lastUsedAt: at.nullable(),
});

export const token_list = defineOperation({
  id: 'token_list',
  method: 'GET',
  path: '/tokens',
  summary: "One's own tokens; all of them for an admin",
  access: 'viewer',
  answer: z.object({ items: z.array(token) }),
});

/** The secret is in this answer only. A join token needs an operator; a token never exceeds its maker's role. */
export const token_create = defineOperation({
  id: 'token_create',
  method: 'POST',
  path: '/tokens',
  summary: 'Make an API token, or a token that lets machines join',
  access: 'viewer',
  body: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('api'),
      name: z.string().min(1).max(128),
      role: accessRole.optional().describe("the maker's own if absent"),
      user: refOrId.optional().describe('for another user: admins only'),
      expiresInDays: z.number().int().min(1).max(3650).optional(),
    }),
    z.strictObject({
      kind: z.literal('join'),
      name: z.string().min(1).max(128).optional(),
      uses: z.number().int().min(1).max(100_000).optional().describe('1 by default'),
      expiresInHours: z.number().int().min(1).max(8760).optional().describe('24 by default'),
    }),
  ]),
  answer: token.extend({
    secret: z.string(),
    command: z.string().nullable().describe('for a join token: what to run on the machine'),
  }),
  status: 201,
});

export const token_revoke = defineOperation({
  id: 'token_revoke',
  method: 'DELETE',
  path: '/tokens/:token',
  summary: 'Revoke a token at once',
  access: 'viewer',
  params: z.object({ token: idParam }),
  status: 204,
});
