import { run_cancel, type Run } from '@hostwright/api/nouns/run';
import { connect } from '../connect.ts';
import { findRun } from '../find-noderole.ts';
import type { Invocation } from '../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const runs: Run[] = [];
  for (const text of call.manyArgs('runs'))
    runs.push(await client.call(run_cancel, { params: { run: await findRun(client, text) } }));
  call.out.answer({ items: runs }, () => {
    for (const item of runs)
      call.out.line(`run ${item.id} (${item.role} on ${item.node}): ${item.status}`);
  });
};
