import { barclamp_get, barclamp_import, barclamp_list } from '@hostwright/api/nouns/barclamp';
import { role_get, role_list } from '@hostwright/api/nouns/role';
import { listBarclamps, listRoles, readBarclampView, readRoleView } from '@hostwright/engine';
import { chooseFields } from '../http/fields.ts';
import { route } from '../http/route.ts';
import { importFrom } from './barclamp-import.ts';

export const roleRoutes = () => [
  route(role_list, async ({ query, context }) => {
    const { cursor, limit, fields, sort, ...filter } = query;
    const page = await listRoles(context.db, { cursor, limit, sort, filter });
    return { items: chooseFields(page.items, fields), next: page.next };
  }),
  route(role_get, async (call) => {
    const role = await readRoleView(call.context.db, call.params.role);
    call.etag(role.revision);
    return role;
  }),
  route(barclamp_list, async ({ query, context }) => {
    const page = await listBarclamps(context.db, query);
    return { items: chooseFields(page.items, query.fields), next: page.next };
  }),
  route(barclamp_get, async ({ params, context }) => readBarclampView(context.db, params.barclamp)),
  route(barclamp_import, async ({ body, caller, context }) =>
    importFrom(context, body, caller.name),
  ),
];
