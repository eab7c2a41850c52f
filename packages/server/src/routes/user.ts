import {
  user_create,
  user_delete,
  user_get,
  user_grants,
  user_list,
  user_patch,
} from '@hostwright/api/nouns/user';
import {
  createUser,
  deleteUser,
  listUsers,
  needUser,
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
];
