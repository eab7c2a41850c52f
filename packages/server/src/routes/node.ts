import {
  node_create,
  node_delete,
  node_get,
  node_list,
  node_patch,
} from '@hostwright/api/nouns/node';
import { node_label_delete, node_label_set } from '@hostwright/api/nouns/node-label';
import { node_adopt, node_offers } from '@hostwright/api/nouns/node-offer';
import { node_why } from '@hostwright/api/nouns/node-explain';
import { HostwrightError } from '@hostwright/core';
import {
  adoptDeletedNode,
  countNodes,
  createNode,
  deleteNode,
  explainNode,
  listNodeOffers,
  listNodes,
  needDeploymentId,
  needNode,
  readNodeView,
  updateNode,
  type Db,
  type NodeListItem,
} from '@hostwright/engine';
import { needRoleIn, type Caller } from '../access/caller.ts';
import { chooseFields } from '../http/fields.ts';
import { refuse } from '../http/refuse.ts';
import { route, type Call } from '../http/route.ts';
import type { OperationShape } from '@hostwright/api';

/** Labels are texts: checked on the way in, so the way out may say so. */
const nodeView = <Item extends NodeListItem>(item: Item) => ({
  ...item,
  labels: item.labels as Record<string, string>,
  macs: [...item.macs],
  groups: [...item.groups],
});

const readNode = async (db: Db, id: number) => {
  const found = await readNodeView(db, id);
  if (found === undefined)
    throw new HostwrightError('not_found', { message: `there is no node ${id}` });
  return nodeView(found);
};

const show = async (call: Pick<Call<OperationShape>, 'context' | 'etag'>, id: number) => {
  const node = await readNode(call.context.db, id);
  call.etag(node.revision);
  return node;
};

/** To move a node, one must be allowed to act where it goes as well. */
const needTarget = async (
  db: Db,
  caller: Caller,
  deployment: string | undefined,
): Promise<void> => {
  if (deployment === undefined) return;
  await needRoleIn(db, caller, {
    deploymentId: await needDeploymentId(db, deployment),
    role: 'operator',
  });
};

const LARGE_FIELDS = new Set(['hint', 'discovery']);

export const nodeRoutes = () => [
  route(node_list, async ({ query, context }) => {
    const { cursor, limit, fields, sort, count, state, ...rest } = query;
    const ids = state === undefined ? undefined : await context.book.idsWith(state);
    const filter = { ...rest, ids };
    const large = fields?.some((field) => LARGE_FIELDS.has(field)) ?? false;
    const page = await listNodes(context.db, { cursor, limit, sort, filter, large });
    const items = chooseFields(page.items.map(nodeView), fields, [...LARGE_FIELDS]);
    return {
      items,
      next: page.next,
      ...(count === true ? { total: await countNodes(context.db, filter) } : {}),
    };
  }),
  route(node_create, async (call) => {
    const made = await createNode(call.context.db, { ...call.body, actor: call.caller.name });
    if (!made.ok) throw refuse(made.refusals);
    return show(call, made.node.id);
  }),
  route(node_get, async (call) =>
    show(call, (await needNode(call.context.db, call.params.node)).id),
  ),
  route(node_patch, async (call) => {
    const { context, params, body, caller } = call;
    await needTarget(context.db, caller, body.deployment);
    const done = await updateNode(context.db, {
      node: params.node,
      revision: call.ifMatch,
      changes: body,
      actor: caller.name,
    });
    if (!done.ok) throw refuse(done.refusals);
    return show(call, done.node.id);
  }),
  route(node_delete, async ({ context, params, query, caller, ifMatch }) => {
    const done = await deleteNode(context.db, {
      node: params.node,
      revision: ifMatch,
      abandon: query.abandon,
      actor: caller.name,
    });
    if (!done.ok) throw refuse(done.refusals, 'in_use');
    return undefined;
  }),
  route(node_offers, async ({ context }) => ({ items: await listNodeOffers(context.db) })),
  route(node_adopt, async (call) => {
    const node = await adoptDeletedNode(call.context.db, {
      node: call.params.node,
      actor: call.caller.name,
    });
    return show(call, node.id);
  }),
  route(node_why, async ({ params, context }) => explainNode(context.db, params.node)),
  route(node_label_set, async (call) => {
    const done = await updateNode(call.context.db, {
      node: call.params.node,
      changes: { labels: { [call.params.label]: call.body.value } },
      actor: call.caller.name,
    });
    if (!done.ok) throw refuse(done.refusals);
    return show(call, done.node.id);
  }),
  route(node_label_delete, async ({ context, params, caller }) => {
    const done = await updateNode(context.db, {
      node: params.node,
      changes: { labels: { [params.label]: null } },
      actor: caller.name,
    });
    if (!done.ok) throw refuse(done.refusals);
    return undefined;
  }),
];
