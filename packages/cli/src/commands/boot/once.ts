import { boot_intent_create } from '@hostwright/api/nouns/boot';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const seconds = call.number('seconds', { least: 60 });
  const answer = await connect(call).call(boot_intent_create, {
    params: { node: call.arg('node') },
    body: { bootenv: call.arg('bootenv'), ...(seconds !== undefined && { seconds }) },
  });
  call.out.answer(answer, () =>
    call.out.line(
      `the next boot of ${answer.node} is ${answer.bootenv}, if it comes before ${answer.expiresAt}`,
    ),
  );
};
