import { node_action_list } from '@hostwright/api/nouns/node-action';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(node_action_list, { params: { node: call.arg('node') } });
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'ACTION', cell: (item) => item.action },
        { title: 'HAMMER', cell: (item) => item.hammer },
        { title: 'DISRUPTIVE', cell: (item) => item.disruptive },
        { title: 'WHAT', cell: (item) => item.description },
      ],
      answer.items,
      'no hammer of this node offers an action',
    ),
  );
};
