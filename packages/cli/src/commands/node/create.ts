import { node_create } from '@hostwright/api/nouns/node';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { readJsonObject, readLabels } from '../../read-input.ts';

export const run = async (call: Invocation): Promise<void> => {
  const description = call.text('description');
  const deployment = call.text('deployment');
  const serial = call.text('serial');
  const hint = call.text('hint');
  const node = await connect(call).call(node_create, {
    body: {
      name: call.arg('name'),
      labels: readLabels(call.many('label')),
      macs: call.many('mac').map((mac) => mac.toLowerCase()),
      available: !call.flag('unavailable'),
      ...(description !== undefined && { description }),
      ...(deployment !== undefined && { deployment }),
      ...(serial !== undefined && { serial }),
      ...(hint !== undefined && { hint: readJsonObject(hint, '--hint') }),
    },
  });
  call.out.answer(node, () => call.out.line(`node ${node.name} is made (id ${node.id})`));
};
