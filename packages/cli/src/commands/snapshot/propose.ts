import { snapshot_propose } from '@hostwright/api/nouns/snapshot';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const message = call.text('message');
  const snapshot = await connect(call).call(snapshot_propose, {
    params: { deployment: call.arg('deployment') },
    body: message === undefined ? {} : { message },
  });
  call.out.answer(snapshot, () =>
    call.out.line(`revision ${snapshot.revision} of ${snapshot.deployment} is proposed`),
  );
};
