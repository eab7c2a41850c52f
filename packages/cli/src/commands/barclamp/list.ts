import { barclamp_list } from '@hostwright/api/nouns/barclamp';
import { ago } from '../../ago.ts';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(barclamp_list, { query: { limit: 1000 } });
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'BARCLAMP', cell: (item) => item.name },
        { title: 'VERSION', cell: (item) => item.version },
        { title: 'ROLES', cell: (item) => item.roles.length, right: true },
        { title: 'IMPORTED', cell: (item) => ago(item.importedAt) },
        { title: 'DESCRIPTION', cell: (item) => item.description },
      ],
      answer.items,
      'no barclamps; `hostwright import FOLDER` brings one in',
    ),
  );
};
