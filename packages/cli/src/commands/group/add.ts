import { group_members } from '@hostwright/api/nouns/group';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const nodes = [...call.manyArgs('nodes')];
  const params = { group: call.arg('group') };
  const group = await connect(call).call(group_members, { params, body: { add: nodes } });
  call.out.answer(group, () =>
    call.out.line(`${nodes.length} added to ${group.name}, which has ${group.members} nodes now`),
  );
};
