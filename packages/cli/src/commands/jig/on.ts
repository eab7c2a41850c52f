import { jig_patch } from '@hostwright/api/nouns/jig';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const params = { jig: call.arg('jig') };
  const jig = await connect(call).call(jig_patch, { params, body: { active: true } });
  call.out.answer(jig, () => call.out.line(`jig ${jig.name} is on`));
};
