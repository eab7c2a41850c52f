import { node_action_run } from '@hostwright/api/nouns/node-action';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const hammer = call.text('hammer');
  const answer = await connect(call).call(node_action_run, {
    params: { node: call.arg('node'), action: call.arg('action') },
    body: hammer === undefined ? {} : { hammer },
  });
  call.out.answer(answer, () =>
    call.out.line(`${answer.action} was sent through ${answer.hammer}`),
  );
};
