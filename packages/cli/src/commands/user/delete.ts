import { user_delete } from '@hostwright/api/nouns/user';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const user = call.arg('user');
  await connect(call).call(user_delete, { params: { user } });
  call.out.answer({ deleted: user }, () => call.out.line(`user ${user} is deleted`));
};
