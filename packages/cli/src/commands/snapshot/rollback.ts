import { deployment_rollback } from '@hostwright/api/nouns/deployment-history';
import { connect } from '../../connect.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const revision = Number(call.arg('revision'));
  if (!Number.isInteger(revision) || revision < 1)
    throw new Failure('usage', `${call.arg('revision')} is no revision`);
  const deployment = call.arg('deployment');
  const params = { deployment };
  const snapshot = await connect(call).call(deployment_rollback, { params, body: { revision } });
  call.out.answer(snapshot, () => {
    call.out.line(`revision ${snapshot.revision} is proposed with the content of ${revision}`);
    call.out.line(`see it with \`hostwright plan ${deployment}\`, then commit it`);
  });
};
