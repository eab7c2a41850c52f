import { network_delete } from '@hostwright/api/nouns/network';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const network = call.arg('network');
  await connect(call).call(network_delete, { params: { network } });
  call.out.answer({ deleted: network }, () => call.out.line(`network ${network} is deleted`));
};
