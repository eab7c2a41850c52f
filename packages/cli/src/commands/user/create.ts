import { ROLES } from '@hostwright/api';
import { user_create } from '@hostwright/api/nouns/user';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { readStdin } from '../../read-input.ts';

export const run = async (call: Invocation): Promise<void> => {
  const role = ROLES.find((known) => known === call.text('role')) ?? 'viewer';
  const user = await connect(call).call(user_create, {
    body: {
      name: call.arg('name'),
      role,
      ...(call.flag('password-stdin') && { password: await readStdin() }),
    },
  });
  call.out.answer(user, () => {
    call.out.line(`user ${user.name} is made (${user.role})`);
    if (!user.hasPassword) call.out.line(`let them in with \`hostwright user link ${user.name}\``);
  });
};
