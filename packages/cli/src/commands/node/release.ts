import { node_release } from '@hostwright/api/nouns/node-life';
import { connect } from '../../connect.ts';
import { diskLines } from '../../disk-lines.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const disks = [...call.many('erase')];
  const how = call.flag('full') ? 'full' : 'quick';
  const done = await connect(call).call(node_release, {
    params: { node: call.arg('node') },
    body: disks.length === 0 ? {} : { erase: { disks, how } },
  });
  const { out } = call;
  out.answer(done, () => {
    if (done.left.length > 0) out.line(`${done.node} is taken out of ${done.left.join(', ')}`);
    if (done.addresses.length > 0) out.line(`in quarantine: ${done.addresses.join(', ')}`);
    for (const line of diskLines(done.erasing)) out.line(`erasing ${line}`);
    if (done.pending.length > 0) out.line(`still being torn down: ${done.pending.join(', ')}`);
    const after = done.pending.length > 0 ? 'erased after that' : 'to be erased';
    for (const line of diskLines(done.toErase)) out.line(`${after}: ${line}`);
    if (done.toErase.length > 0) out.line(`hostwright why ${done.node} tells how far it is`);
    if (done.pending.length + done.erasing.length === 0) out.line(`${done.node} is released`);
  });
};
