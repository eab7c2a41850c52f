import { ROLES } from '@hostwright/api';
import { user_patch } from '@hostwright/api/nouns/user';
import { connect } from '../../connect.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import { readStdin } from '../../read-input.ts';

export const run = async (call: Invocation): Promise<void> => {
  if (call.flag('disable') && call.flag('enable'))
    throw new Failure('usage', '--disable and --enable exclude each other');
  const role = ROLES.find((known) => known === call.text('role'));
  const body = {
    ...(role !== undefined && { role }),
    ...(call.flag('disable') && { disabled: true }),
    ...(call.flag('enable') && { disabled: false }),
    ...(call.flag('password-stdin') && { password: await readStdin() }),
  };
  if (Object.keys(body).length === 0) throw new Failure('usage', 'nothing to change was given');
  const user = await connect(call).call(user_patch, { params: { user: call.arg('user') }, body });
  call.out.answer(user, () => call.out.line(`user ${user.name} is changed`));
};
