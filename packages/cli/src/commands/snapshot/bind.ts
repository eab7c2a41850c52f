import { snapshot_bind } from '@hostwright/api/nouns/snapshot-edit';
import { connect } from '../../connect.ts';
import { editProposal } from '../../find-snapshot.ts';
import type { Invocation } from '../../invocation.ts';
import { readJsonObject } from '../../read-input.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const deployment = call.arg('deployment');
  const role = call.arg('role');
  const given = call.text('data');
  const data = given === undefined ? {} : { data: readJsonObject(given, '--data') };
  const bindings = call.manyArgs('nodes').map((node) => ({ role, node, ...data }));
  const answer = await editProposal(client, deployment, async (snapshot) => ({
    snapshot,
    ...(await client.call(snapshot_bind, { params: { snapshot }, body: { bindings } })),
  }));
  const { out } = call;
  out.answer(answer, () => {
    out.line(`${answer.bound} bound in the proposal of ${deployment}`);
    for (const item of answer.pulledIn)
      out.line(`  ${item.role} on ${item.node} too: ${item.reason}`);
    out.line(`see it with \`hostwright plan ${deployment}\``);
  });
};
