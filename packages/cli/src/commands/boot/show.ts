import { boot_get, boot_text } from '@hostwright/api/nouns/boot';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { harmless } from '../../show-fields.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const params = { boot: call.arg('boot') };
  if (!call.out.json) {
    const text = await client.text(boot_text, { params });
    for (const line of text.trimEnd().split('\n')) call.out.line(harmless(line));
    return;
  }
  call.out.answer(await client.call(boot_get, { params }), () => {});
};
