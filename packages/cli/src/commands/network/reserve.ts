import { allocation_reserve } from '@hostwright/api/nouns/allocation';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(allocation_reserve, {
    params: { network: call.arg('network'), range: call.text('range') ?? 'host' },
    body: { address: call.arg('address'), note: call.arg('note') },
  });
  call.out.answer(answer, () => call.out.line(`${answer.address} is reserved for ${answer.note}`));
};
