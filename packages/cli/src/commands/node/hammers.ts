import { hammer_list } from '@hostwright/api/nouns/hammer';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(hammer_list, { params: { node: call.arg('node') } });
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'HAMMER', cell: (item) => item.kind },
        { title: 'ENDPOINT', cell: (item) => item.endpoint },
        { title: 'USER', cell: (item) => item.username },
        { title: 'SECRET', cell: (item) => item.secret },
        { title: 'PRIORITY', cell: (item) => item.priority },
        { title: 'ACTIONS', cell: (item) => item.actions.join(' ') },
      ],
      answer.items,
      'this node has no hammer; give it one with `hostwright node hammer`',
    ),
  );
};
