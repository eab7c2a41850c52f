import { snapshot_bind } from '@hostwright/api/nouns/snapshot';
import { connect } from '../../connect.ts';
import { openProposal } from '../../find-snapshot.ts';
import type { Invocation } from '../../invocation.ts';
import { readJsonObject } from '../../read-input.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const deployment = call.arg('deployment');
  const role = call.arg('role');
  const given = call.text('data');
  const data = given === undefined ? {} : { data: readJsonObject(given, '--data') };
  const snapshot = await openProposal(client, deployment);
  const answer = await client.call(snapshot_bind, {
    params: { snapshot },
    body: { bindings: call.manyArgs('nodes').map((node) => ({ role, node, ...data })) },
  });
  const { out } = call;
  out.answer({ snapshot, ...answer }, () => {
    out.line(`${answer.bound} bound in the proposal of ${deployment}`);
    for (const item of answer.pulledIn)
      out.line(`  ${item.role} on ${item.node} too: ${item.reason}`);
    out.line(`see it with \`hostwright plan ${deployment}\``);
  });
};
