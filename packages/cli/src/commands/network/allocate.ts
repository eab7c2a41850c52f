import { allocation_create } from '@hostwright/api/nouns/allocation';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const address = call.text('address');
  const answer = await connect(call).call(allocation_create, {
    params: { network: call.arg('network'), range: call.text('range') ?? 'host' },
    body: { node: call.arg('node'), ...(address !== undefined && { address }) },
  });
  call.out.answer(answer, ({ allocation, why, fresh }) =>
    call.out.line(
      `${allocation.node} ${fresh ? 'gets' : 'has'} ${allocation.address} in ${allocation.network} (${why})`,
    ),
  );
};
