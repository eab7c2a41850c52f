import { node_adopt } from '@hostwright/api/nouns/node-offer';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const params = { node: call.arg('node') };
  const node = await connect(call).call(node_adopt, { params });
  call.out.answer(node, () =>
    call.out.line(`${node.name} is a node again; its machine may join now`),
  );
};
