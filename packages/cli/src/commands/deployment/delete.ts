import { deployment_delete } from '@hostwright/api/nouns/deployment';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const deployment = call.arg('deployment');
  await connect(call).call(deployment_delete, { params: { deployment } });
  call.out.answer({ deleted: deployment }, () =>
    call.out.line(`deployment ${deployment} is deleted`),
  );
};
