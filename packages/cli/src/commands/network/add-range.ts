import { network_range_create } from '@hostwright/api/nouns/network-range';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { countRanges, readRange } from '../../network-fields.ts';

export const run = async (call: Invocation): Promise<void> => {
  const network = await connect(call).call(network_range_create, {
    params: { network: call.arg('network') },
    body: readRange(call.arg('range')),
  });
  call.out.answer(network, () =>
    call.out.line(`network ${network.name} has ${countRanges(network)} now`),
  );
};
