import { node_reinstall, node_reinstall_plan } from '@hostwright/api/nouns/node-life';
import { quoteWord, sayDisk } from '@hostwright/core';
import { connect } from '../../connect.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import { diskLines } from '../../disk-lines.ts';

/** Without --consent it only says what would be lost. */
export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const params = { node: call.arg('node') };
  const disks = call.many('consent');
  if (disks.length === 0) {
    const plan = await client.call(node_reinstall_plan, { params });
    if (plan.refusals.length > 0)
      throw new Failure('refused', `${plan.node} cannot be installed again`, {
        reasons: plan.refusals.map(({ path, message }) => `${path}: ${message}`),
      });
    call.out.answer(plan, () => {
      call.out.line(`installing ${plan.os} on ${plan.node} again erases:`);
      for (const line of diskLines(plan.disks)) call.out.line(`  ${line}`);
      const given = plan.disks.map((disk) => `--consent ${quoteWord(sayDisk(disk))}`).join(' ');
      call.out.line(`to do it: hostwright node reinstall ${plan.node} ${given}`);
    });
    return;
  }
  const done = await client.call(node_reinstall, { params, body: { disks: [...disks] } });
  call.out.answer(done, () =>
    call.out.line(
      `${done.os} is being installed again; watch it with \`hostwright why ${params.node}\``,
    ),
  );
};
