import { network_router_delete, network_router_put } from '@hostwright/api/nouns/network-router';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const params = { network: call.arg('network'), address: call.arg('address') };
  if (call.flag('remove')) {
    await client.call(network_router_delete, { params });
    call.out.answer({ deleted: params.address }, () =>
      call.out.line(`${params.address} routes for ${params.network} no longer`),
    );
    return;
  }
  const pref = call.number('pref', { least: 0, most: 32_767 });
  const network = await client.call(network_router_put, {
    params,
    body: pref === undefined ? {} : { pref },
  });
  call.out.answer(network, () =>
    call.out.line(`${params.address} is the router of ${network.name}`),
  );
};
