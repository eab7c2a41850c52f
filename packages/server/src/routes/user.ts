import {
  user_create,
  user_delete,
  user_get,
  user_grants,
  user_list,
  user_patch,
} from '@hostwright/api/nouns/user';
import { audit_list } from '@hostwright/api/nouns/audit';
import { setting_list, setting_put, setting_reset } from '@hostwright/api/nouns/setting';
import {
  createUser,
  deleteUser,
  listAudit,
  listSettings,
  listUsers,
  needUser,
  putSetting,
  resetSetting,
  setGrants,
  updateUser,
} from '@hostwright/engine';
import { hashPassword } from '../access/password.ts';
import { chooseFields } from '../http/fields.ts';
import { route } from '../http/route.ts';

export const userRoutes = () => [
  route(user_list, async ({ query, context }) => {
    const page = await listUsers(context.db, query);
    return { items: chooseFields(page.items, query.fields), next: page.next };
  }),
  route(user_create, async ({ body, context }) =>
    createUser(context.db, {
      name: body.name,
      role: body.role,
      passwordHash: body.password === undefined ? null : await hashPassword(body.password),
    }),
  ),
  route(user_get, async ({ params, context }) => needUser(context.db, params.user)),
  route(user_patch, async ({ params, body, context }) =>
    updateUser(context.db, {
      user: params.user,
      role: body.role,
      disabled: body.disabled,
      passwordHash:
        typeof body.password === 'string' ? await hashPassword(body.password) : body.password,
    }),
  ),
  route(user_delete, async ({ params, context }) => {
    await deleteUser(context.db, params.user);
    return undefined;
  }),
  route(user_grants, async ({ params, body, context }) =>
    setGrants(context.db, { user: params.user, grants: body.grants }),
  ),
  route(audit_list, async ({ query, context }) => {
    const { cursor, limit, fields, ...filter } = query;
    const page = await listAudit(context.db, { cursor, limit, filter });
    return { items: chooseFields(page.items, fields), next: page.next };
  }),
  route(setting_list, async ({ context }) => ({ items: await listSettings(context.db) })),
  route(setting_put, async ({ params, body, context }) =>
    putSetting(context.db, { key: params.key, value: body.value }),
  ),
  route(setting_reset, async ({ params, context }) => {
    await resetSetting(context.db, params.key);
    return undefined;
  }),
];
