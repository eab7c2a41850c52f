import { token_revoke } from '@hostwright/api/nouns/token';
import { connect } from '../../connect.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const token = Number(call.arg('id'));
  if (!Number.isInteger(token))
    throw new Failure('usage', `${call.arg('id')} is no token id`, {
      advice: '`token list` shows them',
    });
  await connect(call).call(token_revoke, { params: { token } });
  call.out.answer({ revoked: token }, () => call.out.line(`token ${token} is revoked`));
};
