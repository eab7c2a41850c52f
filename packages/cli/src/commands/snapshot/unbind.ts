import { snapshot_unbind } from '@hostwright/api/nouns/snapshot-edit';
import { connect } from '../../connect.ts';
import { editProposal } from '../../find-snapshot.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const deployment = call.arg('deployment');
  const role = call.arg('role');
  const bindings = call.manyArgs('nodes').map((node) => ({ role, node }));
  const answer = await editProposal(client, deployment, async (snapshot) => ({
    snapshot,
    ...(await client.call(snapshot_unbind, { params: { snapshot }, body: { bindings } })),
  }));
  const { out } = call;
  out.answer(answer, () => {
    out.line(`${answer.unbound} unbound in the proposal of ${deployment}`);
    for (const item of answer.alsoUnbound)
      out.line(`  ${item.role} on ${item.node} too: ${item.reason}`);
  });
};
