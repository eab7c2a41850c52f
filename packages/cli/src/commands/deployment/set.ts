import { deployment_patch } from '@hostwright/api/nouns/deployment';
import { connect } from '../../connect.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const body = Object.fromEntries(
    ['name', 'description', 'parent'].flatMap((option) => {
      const value = call.text(option);
      return value === undefined ? [] : [[option, value] as const];
    }),
  );
  if (Object.keys(body).length === 0) throw new Failure('usage', 'nothing to change was given');
  const params = { deployment: call.arg('deployment') };
  const deployment = await connect(call).call(deployment_patch, { params, body });
  call.out.answer(deployment, () => call.out.line(`deployment ${deployment.name} is changed`));
};
