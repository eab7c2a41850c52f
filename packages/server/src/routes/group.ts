import {
  group_create,
  group_delete,
  group_get,
  group_list,
  group_members,
  group_patch,
} from '@hostwright/api/nouns/group';
import type { OperationShape } from '@hostwright/api';
import { HostwrightError } from '@hostwright/core';
import {
  changeGroupMembers,
  createGroup,
  deleteGroup,
  findGroup,
  listGroups,
  updateGroup,
  type GroupRecord,
  type SavedGroup,
} from '@hostwright/engine';
import { defined } from '../http/defined.ts';
import { refuse } from '../http/refuse.ts';
import { route, type Call } from '../http/route.ts';

const view = ({ nodes, ...group }: GroupRecord) => ({ ...group, members: nodes });

const show = (call: Pick<Call<OperationShape>, 'etag'>, saved: SavedGroup) => {
  if (!saved.ok) throw refuse(saved.refusals);
  call.etag(saved.group.revision);
  return view(saved.group);
};

export const groupRoutes = () => [
  route(group_list, async ({ query, context }) => {
    const groups = await listGroups(context.db);
    return {
      items: groups
        .filter((group) => query.category === undefined || group.category === query.category)
        .map(view),
    };
  }),
  route(group_create, async (call) =>
    show(call, await createGroup(call.context.db, { ...call.body, actor: call.caller.name })),
  ),
  route(group_get, async (call) => {
    const group = await findGroup(call.context.db, call.params.group);
    if (group === undefined)
      throw new HostwrightError('not_found', { message: `there is no group ${call.params.group}` });
    return show(call, { ok: true, group });
  }),
  route(group_patch, async (call) =>
    show(
      call,
      await updateGroup(call.context.db, {
        group: call.params.group,
        revision: call.ifMatch,
        changes: defined(call.body),
        actor: call.caller.name,
      }),
    ),
  ),
  route(group_delete, async ({ params, caller, context, ifMatch }) => {
    await deleteGroup(context.db, { group: params.group, revision: ifMatch, actor: caller.name });
    return undefined;
  }),
  route(group_members, async (call) =>
    show(
      call,
      await changeGroupMembers(call.context.db, {
        ...defined(call.body),
        group: call.params.group,
        actor: call.caller.name,
      }),
    ),
  ),
];
