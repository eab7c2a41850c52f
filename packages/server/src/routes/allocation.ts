import {
  allocation_create,
  allocation_get,
  allocation_list,
  allocation_node,
  allocation_release,
  allocation_reserve,
} from '@hostwright/api/nouns/allocation';
import {
  allocateAddress,
  listAllocations,
  needAllocation,
  needNetwork,
  needRange,
  readNodeLinks,
  refusalOf,
  releaseAllocation,
  reserveAddress,
  writeNodeLinks,
} from '@hostwright/boot';
import { needNode, transaction } from '@hostwright/engine';
import { chooseFields } from '../http/fields.ts';
import { refuse } from '../http/refuse.ts';
import { route } from '../http/route.ts';

/** All addresses of one node: a node has one per range. */
const ALL = 1000;

export const allocationRoutes = () => [
  route(allocation_list, async ({ query, context }) => {
    const { cursor, limit, fields, ...filter } = query;
    const page = await listAllocations(context.db, { cursor, limit, filter });
    return { items: chooseFields(page.items, fields), next: page.next };
  }),
  route(allocation_get, async ({ params, context }) =>
    needAllocation(context.db, params.allocation),
  ),
  route(allocation_create, async ({ params, body, context }) => {
    const range = needRange(await needNetwork(context.db, params.network), params.range);
    const node = await needNode(context.db, body.node);
    const done = await transaction(context.db, async (tx) => {
      const given = await allocateAddress(tx, {
        nodeId: node.id,
        rangeId: range.id,
        ...(body.address !== undefined && { hint: body.address }),
      });
      if (given.ok) await writeNodeLinks(tx, node.id);
      return given;
    });
    if (!done.ok) throw refuse(done.refusals);
    const { id, why, fresh } = done.allocation;
    return { allocation: await needAllocation(context.db, id), why, fresh };
  }),
  route(allocation_reserve, async ({ params, body, context }) => {
    const range = needRange(await needNetwork(context.db, params.network), params.range);
    const done = await transaction(context.db, (tx) =>
      reserveAddress(tx, { rangeId: range.id, ...body }),
    ).catch((error: unknown) => ({ ok: false as const, refusals: [refusalOf(error)] }));
    if (!done.ok) throw refuse(done.refusals);
    return needAllocation(context.db, done.id);
  }),
  route(allocation_release, async ({ params, query, context }) =>
    transaction(context.db, (tx) =>
      releaseAllocation(tx, { id: params.allocation, quarantineSeconds: query.quarantine }),
    ),
  ),
  route(allocation_node, async ({ params, context }) => {
    const node = await needNode(context.db, params.node);
    const { items } = await listAllocations(context.db, {
      limit: ALL,
      filter: { node: String(node.id), state: ['held'] },
    });
    const links = await readNodeLinks(context.db, node.id);
    return {
      addresses: items,
      links: links.map((link) => ({
        ...link,
        members: link.members.map(({ mac, name, megabits, carrier, neighbour }) => ({
          mac,
          name,
          megabits,
          carrier,
          switch: neighbour,
        })),
      })),
    };
  }),
];
