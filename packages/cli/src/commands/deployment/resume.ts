import { deployment_resume } from '@hostwright/api/nouns/deployment';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const params = { deployment: call.arg('deployment') };
  const deployment = await connect(call).call(deployment_resume, { params });
  call.out.answer(deployment, () => call.out.line(`deployment ${deployment.name} goes on`));
};
