import { deployment_create } from '@hostwright/api/nouns/deployment';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const parent = call.text('parent');
  const description = call.text('description');
  const deployment = await connect(call).call(deployment_create, {
    body: {
      name: call.arg('name'),
      ...(parent !== undefined && { parent }),
      ...(description !== undefined && { description }),
    },
  });
  call.out.answer(deployment, () => call.out.line(`deployment ${deployment.name} is made`));
};
