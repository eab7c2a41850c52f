import { secret_delete } from '@hostwright/api/nouns/secret';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const secret = call.arg('name');
  await connect(call).call(secret_delete, { params: { secret } });
  call.out.answer({ deleted: secret }, () => call.out.line(`secret ${secret} is deleted`));
};
