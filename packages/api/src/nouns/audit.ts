import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at, id, jsonObject, pageOf, pageQuery } from '../schema.ts';

export const auditEntry = z.object({
  id,
  at,
  actor: z.string(),
  action: z.string().describe('the id of the operation'),
  subject: z.string(),
  detail: jsonObject,
});

export const audit_list = defineOperation({
  id: 'audit_list',
  method: 'GET',
  path: '/audit',
  summary: 'Who did what, newest first',
  access: 'admin',
  query: z.object({
    ...pageQuery,
    actor: z.string().max(255).optional(),
    action: z.string().max(64).optional(),
    subject: z.string().max(255).optional(),
    since: at.optional(),
    until: at.optional(),
  }),
  answer: pageOf(auditEntry),
});
