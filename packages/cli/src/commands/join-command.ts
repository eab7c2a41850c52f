import { token_create } from '@hostwright/api/nouns/token';
import { connect } from '../connect.ts';
import type { Invocation } from '../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const token = await connect(call).call(token_create, {
    body: {
      kind: 'join',
      uses: call.number('uses', { least: 1, most: 100_000 }) ?? 1,
      expiresInHours: call.number('hours', { least: 1, most: 8760 }) ?? 24,
    },
  });
  call.out.answer(token, () => call.out.line(token.command ?? token.secret));
};
