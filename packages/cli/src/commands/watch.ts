import { connect } from '../connect.ts';
import { findCommitted } from '../find-snapshot.ts';
import { followCommit } from '../follow-commit.ts';
import type { Invocation } from '../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  await followCommit(call, client, await findCommitted(client, call.arg('deployment')));
};
