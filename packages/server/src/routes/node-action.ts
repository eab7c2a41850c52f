import { hammer_delete, hammer_list, hammer_put } from '@hostwright/api/nouns/hammer';
import { node_action_list, node_action_run } from '@hostwright/api/nouns/node-action';
import { node_attribs } from '@hostwright/api/nouns/node-explain';
import { listLifeActions } from '@hostwright/boot';
import { HostwrightError } from '@hostwright/core';
import {
  deleteHammer,
  listHammers,
  needNode,
  putHammer,
  readNodeAttribs,
  type HammerRecord,
} from '@hostwright/engine';
import { checkHammer } from '@hostwright/providers';
import type { Context } from '../context.ts';
import { actionsOf, carryOut, type HammerAction } from '../hammer-actions.ts';
import { refuse } from '../http/refuse.ts';
import { route } from '../http/route.ts';

const offersFor = async (context: Context, nodeId: number): Promise<HammerAction[]> =>
  (await context.openHammers(nodeId)).flatMap(actionsOf);

/** A hammer that cannot be opened (its secret is gone) offers nothing. */
const offersToShow = (context: Context, nodeId: number): Promise<HammerAction[]> =>
  offersFor(context, nodeId).catch((error: unknown) => {
    context.log.warn({ err: error, nodeId }, 'the hammers of a node cannot be opened');
    return [];
  });

const withActions = (hammer: HammerRecord, offers: readonly HammerAction[]) => ({
  ...hammer,
  actions: offers.filter((offer) => offer.hammer === hammer.kind).map((offer) => offer.action),
});

/** Listed with the others, but with operations of their own: they take a consent. */
const LIFE = new Set(['rescue', 'reinstall', 'release']);

export const nodeActionRoutes = () => [
  route(node_action_list, async ({ params, context }) => {
    const node = await needNode(context.db, params.node);
    const offers = await offersToShow(context, node.id);
    const life = await listLifeActions(context.db, node.id);
    return {
      items: [
        ...offers.map(({ run: _run, ...offer }) => offer),
        ...life.map((action) => ({ ...action, hammer: 'hostwright' })),
      ],
    };
  }),
  route(node_action_run, async ({ params, body, context }) => {
    const node = await needNode(context.db, params.node);
    const offers = await offersFor(context, node.id);
    const offer = offers.find(
      ({ action, hammer }) =>
        action === params.action && (body?.hammer === undefined || hammer === body.hammer),
    );
    if (offer === undefined && LIFE.has(params.action))
      throw new HostwrightError('refused', {
        message: `${params.action} says more than an action can: POST /nodes/${node.name}/${params.action}`,
      });
    if (offer === undefined)
      throw new HostwrightError('refused', {
        message: `no hammer of ${node.name} offers ${params.action}; ${offers.length === 0 ? 'they offer nothing now' : `offered: ${[...new Set(offers.map(({ action }) => action))].join(', ')}`}`,
        public: { offered: offers.map(({ action }) => action) },
      });
    return { action: offer.action, hammer: offer.hammer, answer: await carryOut(offer) };
  }),
  route(node_attribs, async ({ params, context }) => ({
    items: await readNodeAttribs(context.db, params.node),
  })),
  route(hammer_list, async ({ params, context }) => {
    const node = await needNode(context.db, params.node);
    const hammers = await listHammers(context.db, node.id);
    const offers = hammers.length === 0 ? [] : await offersToShow(context, node.id);
    return { items: hammers.map((hammer) => withActions(hammer, offers)) };
  }),
  route(hammer_put, async ({ params, body, caller, context }) => {
    const wrong = checkHammer({ ...body, kind: params.kind });
    if (wrong.length > 0) throw refuse(wrong);
    const done = await putHammer(context.db, {
      ...body,
      node: params.node,
      kind: params.kind,
      actor: caller.name,
    });
    if (!done.ok) throw refuse(done.refusals);
    return withActions(done.hammer, await offersToShow(context, done.hammer.nodeId));
  }),
  route(hammer_delete, async ({ params, caller, context }) => {
    await deleteHammer(context.db, { node: params.node, kind: params.kind, actor: caller.name });
    return undefined;
  }),
];
