import { hammer_delete, hammer_list, hammer_put } from '@hostwright/api/nouns/hammer';
import { node_action_list, node_action_run, node_attribs } from '@hostwright/api/nouns/node';
import { HostwrightError } from '@hostwright/core';
import {
  deleteHammer,
  listHammers,
  needNode,
  putHammer,
  readNodeAttribs,
  type HammerRecord,
  type NodeRecord,
} from '@hostwright/engine';
import type { Context } from '../context.ts';
import type { HammerAction, HammerDriver, HammerTarget } from '../hammer-driver.ts';
import { refuse } from '../http/refuse.ts';
import { route } from '../http/route.ts';

interface Offer extends HammerAction {
  readonly driver: HammerDriver;
  readonly target: HammerTarget;
}

const actionsOf = async (
  context: Context,
  node: NodeRecord,
  hammer: HammerRecord | null,
  kind: string,
): Promise<Offer[]> => {
  const driver = context.hammers.find((candidate) => candidate.kind === kind);
  if (driver === undefined) return [];
  const target = { node, hammer };
  return (await driver.actions(target)).map((action) => ({ ...action, driver, target }));
};

/** The hammer with the highest priority comes first, so that it is the one that acts. */
const offersFor = async (context: Context, node: NodeRecord): Promise<Offer[]> => {
  const hammers = await listHammers(context.db, node.id);
  const everywhere = context.hammers.filter(
    (driver) =>
      driver.everywhere === true && !hammers.some((hammer) => hammer.kind === driver.kind),
  );
  const offers = await Promise.all([
    ...hammers.map((hammer) => actionsOf(context, node, hammer, hammer.kind)),
    ...everywhere.map((driver) => actionsOf(context, node, null, driver.kind)),
  ]);
  return offers.flat();
};

const withActions = async (context: Context, node: NodeRecord, hammer: HammerRecord) => ({
  ...hammer,
  actions: (await actionsOf(context, node, hammer, hammer.kind)).map((offer) => offer.action),
});

export const nodeActionRoutes = () => [
  route(node_action_list, async ({ params, context }) => {
    const offers = await offersFor(context, await needNode(context.db, params.node));
    return {
      items: offers.map(({ action, description, disruptive, driver }) => ({
        action,
        description,
        disruptive,
        hammer: driver.kind,
      })),
    };
  }),
  route(node_action_run, async ({ params, body, caller, context }) => {
    const node = await needNode(context.db, params.node);
    const offers = await offersFor(context, node);
    const offer = offers.find(
      ({ action, driver }) =>
        action === params.action && (body?.hammer === undefined || driver.kind === body.hammer),
    );
    if (offer === undefined)
      throw new HostwrightError('refused', {
        message: `no hammer of ${node.name} offers ${params.action}`,
        public: { offered: offers.map(({ action }) => action) },
      });
    const { driver, target } = offer;
    const answer = await driver.act({
      ...target,
      action: offer.action,
      actor: caller.name,
      context,
    });
    return { action: offer.action, hammer: driver.kind, answer };
  }),
  route(node_attribs, async ({ params, context }) => ({
    items: await readNodeAttribs(context.db, params.node),
  })),
  route(hammer_list, async ({ params, context }) => {
    const node = await needNode(context.db, params.node);
    const hammers = await listHammers(context.db, node.id);
    return {
      items: await Promise.all(hammers.map((hammer) => withActions(context, node, hammer))),
    };
  }),
  route(hammer_put, async ({ params, body, caller, context }) => {
    const done = await putHammer(context.db, {
      ...body,
      node: params.node,
      kind: params.kind,
      actor: caller.name,
    });
    if (!done.ok) throw refuse(done.refusals);
    return withActions(context, await needNode(context.db, params.node), done.hammer);
  }),
  route(hammer_delete, async ({ params, caller, context }) => {
    await deleteHammer(context.db, { node: params.node, kind: params.kind, actor: caller.name });
    return undefined;
  }),
];
