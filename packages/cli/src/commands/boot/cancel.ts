import { boot_intent_delete } from '@hostwright/api/nouns/boot';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const intent = call.arg('intent');
  await connect(call).call(boot_intent_delete, { params: { intent } });
  call.out.answer({ void: intent }, () => call.out.line(`boot intent ${intent} is void`));
};
