import { network_range_delete } from '@hostwright/api/nouns/network-range';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const params = { network: call.arg('network'), range: call.arg('range') };
  await connect(call).call(network_range_delete, { params });
  call.out.answer({ deleted: params.range }, () =>
    call.out.line(`range ${params.range} of network ${params.network} is deleted`),
  );
};
