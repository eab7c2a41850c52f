import { ROLE_FLAGS, role_list } from '@hostwright/api/nouns/role';
import { connect } from '../../connect.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';

type Flag = (typeof ROLE_FLAGS)[number];
const readFlag = (text: string): Flag => {
  const flag = ROLE_FLAGS.find((known) => known === text);
  if (flag === undefined)
    throw new Failure('usage', `${text} is no flag of roles`, {
      advice: `they are ${ROLE_FLAGS.join(', ')}`,
    });
  return flag;
};

export const run = async (call: Invocation): Promise<void> => {
  const search = call.text('search');
  const answer = await connect(call).call(role_list, {
    query: {
      limit: 1000,
      sort: 'name',
      ...(search !== undefined && { q: search }),
      ...(!call.flag('all') && { offered: true }),
      barclamp: [...call.many('barclamp')],
      flag: call.many('flag').map(readFlag),
    },
  });
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'ROLE', cell: (role) => role.name },
        { title: 'BARCLAMP', cell: (role) => role.barclamp },
        { title: 'JIG', cell: (role) => role.jig },
        { title: 'FLAGS', cell: (role) => role.flags.join(' ') },
        { title: 'REQUIRES', cell: (role) => role.requires.join(' ') },
        { title: 'BOUND', cell: (role) => role.noderoles, right: true },
        { title: 'DESCRIPTION', cell: (role) => role.description },
      ],
      answer.items,
      'no roles; `hostwright import FOLDER` brings a barclamp in',
    ),
  );
};
