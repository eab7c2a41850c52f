import { session_get, session_link_create } from '@hostwright/api/nouns/session';
import { connect } from '../connect.ts';
import type { Invocation } from '../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const me = await client.call(session_get);
  const link = await client.call(session_link_create, { body: { user: me.name } });
  call.out.answer(link, () => {
    call.out.line(link.url);
    call.out.note(`good once, until ${link.expiresAt}`);
  });
};
