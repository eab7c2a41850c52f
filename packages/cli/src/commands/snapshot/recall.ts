import { snapshot_recall } from '@hostwright/api/nouns/snapshot-commit';
import { connect } from '../../connect.ts';
import { findCommitted } from '../../find-snapshot.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const snapshot = await client.call(snapshot_recall, {
    params: { snapshot: await findCommitted(client, call.arg('deployment')) },
    body: { running: call.flag('cancel') ? 'cancel' : 'drain' },
  });
  call.out.answer(snapshot, () =>
    call.out.line(`recalled; its content is proposed again as revision ${snapshot.revision}`),
  );
};
