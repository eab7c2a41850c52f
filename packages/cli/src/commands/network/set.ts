import { network_patch } from '@hostwright/api/nouns/network';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { readNetworkFields } from '../../network-fields.ts';

export const run = async (call: Invocation): Promise<void> => {
  const name = call.text('name');
  const network = await connect(call).call(network_patch, {
    params: { network: call.arg('network') },
    body: { ...readNetworkFields(call), ...(name !== undefined && { name }) },
  });
  call.out.answer(network, () => call.out.line(`network ${network.name} is changed`));
};
