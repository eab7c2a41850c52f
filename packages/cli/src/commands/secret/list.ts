import { secret_list } from '@hostwright/api/nouns/secret';
import { ago } from '../../ago.ts';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(secret_list);
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'SECRET', cell: (secret) => secret.name },
        { title: 'CHANGED', cell: (secret) => ago(secret.updatedAt) },
      ],
      answer.items,
      'no secrets; `hostwright secret set NAME` stores one',
    ),
  );
};
