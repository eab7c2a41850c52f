import { group_list } from '@hostwright/api/nouns/group';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(group_list);
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'GROUP', cell: (item) => item.name },
        { title: 'CATEGORY', cell: (item) => item.category },
        { title: 'NODES', cell: (item) => item.members, right: true },
        { title: 'DESCRIPTION', cell: (item) => item.description },
      ],
      answer.items,
      'no groups',
    ),
  );
};
