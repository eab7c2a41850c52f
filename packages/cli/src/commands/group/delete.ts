import { group_delete } from '@hostwright/api/nouns/group';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const group = call.arg('group');
  await connect(call).call(group_delete, { params: { group } });
  call.out.answer({ deleted: group }, () => call.out.line(`group ${group} is deleted`));
};
