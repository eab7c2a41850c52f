import { deployment_pause } from '@hostwright/api/nouns/deployment';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const params = { deployment: call.arg('deployment') };
  const deployment = await connect(call).call(deployment_pause, { params });
  call.out.answer(deployment, () =>
    call.out.line(`deployment ${deployment.name} is paused: nothing more is started in it`),
  );
};
