import { session_link_create } from '@hostwright/api/nouns/session';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const link = await connect(call).call(session_link_create, { body: { user: call.arg('user') } });
  call.out.answer(link, () => {
    call.out.line(link.url);
    call.out.note(`good once, until ${link.expiresAt}`);
  });
};
