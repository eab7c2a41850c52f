import { jig_list } from '@hostwright/api/nouns/jig';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(jig_list);
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'JIG', cell: (jig) => jig.name },
        { title: 'ON', cell: (jig) => jig.active },
        { title: 'ROLES', cell: (jig) => jig.roles, right: true },
        { title: 'RUNNING', cell: (jig) => jig.liveRuns, right: true },
        { title: 'TO TELL', cell: (jig) => jig.owed, right: true },
        { title: 'DESCRIPTION', cell: (jig) => jig.description },
      ],
      answer.items,
      'no jigs',
    ),
  );
};
