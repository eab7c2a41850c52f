import { group_members } from '@hostwright/api/nouns/group';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { showBulk } from '../../show-bulk.ts';

export const run = async (call: Invocation): Promise<void> => {
  const result = await connect(call).call(group_members, {
    params: { group: call.arg('group') },
    body: { remove: [...call.manyArgs('nodes')] },
  });
  showBulk(call.out, result, 'taken out');
};
