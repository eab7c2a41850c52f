import { node_rescue } from '@hostwright/api/nouns/node-life';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const node = call.arg('node');
  const done = await connect(call).call(node_rescue, { params: { node } });
  call.out.answer(done, () =>
    call.out.line(
      done.restarted
        ? `${node} boots the rescue system; follow it with \`hostwright node boots ${node}\``
        : `${node} boots the rescue system when it is restarted within the hour (${done.text})`,
    ),
  );
};
