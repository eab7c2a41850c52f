import { user_list } from '@hostwright/api/nouns/user';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(user_list, { query: { limit: 1000 } });
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'USER', cell: (user) => user.name },
        { title: 'ROLE', cell: (user) => user.role },
        { title: 'DISABLED', cell: (user) => user.disabled },
        { title: 'PASSWORD', cell: (user) => user.hasPassword },
        {
          title: 'GRANTS',
          cell: (user) => user.grants.map((grant) => `${grant.deployment}=${grant.role}`).join(' '),
        },
      ],
      answer.items,
      'no users',
    ),
  );
};
