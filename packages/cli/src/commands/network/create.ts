import { network_create } from '@hostwright/api/nouns/network';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { countRanges, readNetworkFields, readRange } from '../../network-fields.ts';

export const run = async (call: Invocation): Promise<void> => {
  const network = await connect(call).call(network_create, {
    body: {
      name: call.arg('name'),
      ...readNetworkFields(call),
      ranges: call.many('range').map(readRange),
      routers: call.many('router').map((address) => ({ address })),
    },
  });
  call.out.answer(network, () =>
    call.out.line(`network ${network.name} is made, with ${countRanges(network)}`),
  );
};
