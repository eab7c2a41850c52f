import { audit_list } from '@hostwright/api/nouns/audit';
import { listAudit } from '@hostwright/engine';
import { chooseFields } from '../http/fields.ts';
import { route } from '../http/route.ts';

export const auditRoutes = () => [
  route(audit_list, async ({ query, context }) => {
    const { cursor, limit, fields, ...filter } = query;
    const page = await listAudit(context.db, { cursor, limit, filter });
    return { items: chooseFields(page.items, fields), next: page.next };
  }),
];
