import { ROLES } from '@hostwright/api';
import { token_create } from '@hostwright/api/nouns/token';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const role = ROLES.find((known) => known === call.text('role'));
  const user = call.text('user');
  const days = call.number('days', { least: 1, most: 3650 });
  const token = await connect(call).call(token_create, {
    body: {
      kind: 'api',
      name: call.arg('name'),
      ...(role !== undefined && { role }),
      ...(user !== undefined && { user }),
      ...(days !== undefined && { expiresInDays: days }),
    },
  });
  call.out.answer(token, () => {
    call.out.line(token.secret);
    call.out.note('this is the only time that it is shown');
  });
};
