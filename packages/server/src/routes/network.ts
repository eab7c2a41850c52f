import {
  network_create,
  network_delete,
  network_get,
  network_list,
  network_patch,
} from '@hostwright/api/nouns/network';
import { network_matrix } from '@hostwright/api/nouns/network-matrix';
import {
  network_range_create,
  network_range_delete,
  network_range_patch,
} from '@hostwright/api/nouns/network-range';
import { network_router_delete, network_router_put } from '@hostwright/api/nouns/network-router';
import type { OperationShape } from '@hostwright/api';
import {
  addRange,
  createNetwork,
  deleteNetwork,
  deleteRange,
  deleteRouter,
  listNetworks,
  needNetwork,
  putRouter,
  readNetworkMatrix,
  refusalOf,
  updateNetwork,
  updateRange,
  type NetworkSpec,
  type NetworkView,
  type RangeSpec,
  type SavedNetwork,
} from '@hostwright/boot';
import { readHead, transaction, type Db } from '@hostwright/engine';
import { defined } from '../http/defined.ts';
import { chooseFields } from '../http/fields.ts';
import { refuse } from '../http/refuse.ts';
import { route, type Call } from '../http/route.ts';
import { cursorText } from './event.ts';

const show = (call: Pick<Call<OperationShape>, 'etag'>, network: NetworkView): NetworkView => {
  call.etag(network.revision);
  return network;
};

const saved = (call: Pick<Call<OperationShape>, 'etag'>, done: SavedNetwork): NetworkView => {
  if (!done.ok) throw refuse(done.refusals);
  return show(call, done.network);
};

type NewNetwork = Call<typeof network_create>['body'];

/** null and absent are the same in a network that is yet to be made. */
const specOf = (body: NewNetwork): NetworkSpec => ({
  ...(Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined && value !== null),
  ) as unknown as NetworkSpec),
  ranges: (body.ranges ?? []).map((range): RangeSpec => ({ ...range, kind: range.kind ?? 'host' })),
});

const create = async (db: Db, body: NewNetwork): Promise<string> => {
  const made = await transaction(db, (tx) => createNetwork(tx, specOf(body))).catch(
    (error: unknown) => ({ ok: false as const, refusals: [refusalOf(error)] }),
  );
  if (!made.ok) throw refuse(made.refusals);
  return String(made.networkId);
};

const networks = [
  route(network_list, async ({ query, context }) => {
    const { items, next } = await listNetworks(context.db, query);
    return { items: chooseFields(items, query.fields), next };
  }),
  route(network_create, async (call) => {
    const id = await create(call.context.db, call.body);
    return show(call, await needNetwork(call.context.db, id));
  }),
  route(network_get, async (call) =>
    show(call, await needNetwork(call.context.db, call.params.network)),
  ),
  route(network_patch, async (call) =>
    saved(
      call,
      await updateNetwork(call.context.db, {
        network: call.params.network,
        revision: call.ifMatch,
        changes: defined(call.body),
      }),
    ),
  ),
  route(network_delete, async ({ params, context, ifMatch }) => {
    const refusals = await deleteNetwork(context.db, {
      network: params.network,
      revision: ifMatch,
    });
    if (refusals.length > 0) throw refuse(refusals);
    return undefined;
  }),
  route(network_matrix, async ({ query, context }) => {
    const position = cursorText(await readHead(context.db));
    return { position, ...(await readNetworkMatrix(context.db, { bare: query.bare ?? true })) };
  }),
];

const parts = [
  route(network_range_create, async (call) =>
    saved(
      call,
      await addRange(call.context.db, {
        network: call.params.network,
        revision: call.ifMatch,
        range: { ...call.body, kind: call.body.kind ?? 'host' },
      }),
    ),
  ),
  route(network_range_patch, async (call) =>
    saved(
      call,
      await updateRange(call.context.db, {
        network: call.params.network,
        range: call.params.range,
        revision: call.ifMatch,
        changes: call.body,
      }),
    ),
  ),
  route(network_range_delete, async (call) => {
    const { network, range } = call.params;
    saved(call, await deleteRange(call.context.db, { network, range, revision: call.ifMatch }));
    return undefined;
  }),
  route(network_router_put, async (call) =>
    saved(
      call,
      await putRouter(call.context.db, {
        ...call.params,
        revision: call.ifMatch,
        pref: call.body?.pref,
      }),
    ),
  ),
  route(network_router_delete, async (call) => {
    saved(call, await deleteRouter(call.context.db, { ...call.params, revision: call.ifMatch }));
    return undefined;
  }),
];

export const networkRoutes = () => [...networks, ...parts];
