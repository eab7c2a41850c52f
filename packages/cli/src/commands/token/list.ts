import { token_list } from '@hostwright/api/nouns/token';
import { ago } from '../../ago.ts';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(token_list);
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'ID', cell: (token) => token.id, right: true },
        { title: 'KIND', cell: (token) => token.kind },
        { title: 'NAME', cell: (token) => token.name },
        { title: 'USER', cell: (token) => token.user },
        { title: 'ROLE', cell: (token) => token.role },
        { title: 'USES LEFT', cell: (token) => token.usesLeft, right: true },
        { title: 'LAST USED', cell: (token) => ago(token.lastUsedAt) },
        {
          title: 'GOOD UNTIL',
          cell: (token) => (token.revokedAt === null ? token.expiresAt : 'revoked'),
        },
      ],
      answer.items,
      'no tokens',
    ),
  );
};
