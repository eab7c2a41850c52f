import { snapshot_discard } from '@hostwright/api/nouns/snapshot';
import { connect } from '../../connect.ts';
import { findProposal } from '../../find-snapshot.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const snapshot = await findProposal(client, call.arg('deployment'));
  await client.call(snapshot_discard, { params: { snapshot } });
  call.out.answer({ discarded: snapshot }, () => call.out.line('the proposal is thrown away'));
};
