import {
  node_reinstall,
  node_reinstall_plan,
  node_release,
  node_rescue,
} from '@hostwright/api/nouns/node-life';
import { bootAdviser, planReinstall, reinstall, releaseNode, rescueNode } from '@hostwright/boot';
import { restartIntoNetwork } from '@hostwright/providers';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuse } from '../http/refuse.ts';
import { route } from '../http/route.ts';

/** Between two looks at whether the boot servers have answered. */
const LOOK_MS = 250;

export const nodeLifeRoutes = () => [
  route(node_reinstall_plan, async ({ params, query, context }) =>
    planReinstall(context.db, { ...params, ...(query.role !== undefined && { role: query.role }) }),
  ),
  route(node_reinstall, async ({ params, body, caller, context }) => {
    const done = await reinstall(context.db, { ...params, ...body, actor: caller.name });
    if (!done.ok) throw refuse(done.refusals);
    const { noderoleId, os, disks } = done.plan;
    return { noderoleId, os, disks };
  }),
  route(node_release, async ({ params, body, caller, context }) => {
    const erase = body?.erase;
    const done = await releaseNode(context.db, {
      node: params.node,
      actor: caller.name,
      erase: erase === undefined ? undefined : { disks: erase.disks, how: erase.how ?? 'quick' },
      advisers: [bootAdviser],
    });
    if (!done.ok) throw refuse(done.refusals);
    return done.released;
  }),
  route(node_rescue, async ({ params, caller, context }) => {
    const done = await rescueNode(context.db, {
      node: params.node,
      actor: caller.name,
      restart: async (nodeId) => restartIntoNetwork(await context.openHammers(nodeId)),
      pause: () => sleep(LOOK_MS),
    });
    if (!done.ok) throw refuse(done.refusals);
    return done.rescued;
  }),
];
