import { group_create } from '@hostwright/api/nouns/group';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const category = call.text('category');
  const description = call.text('description');
  const group = await connect(call).call(group_create, {
    body: {
      name: call.arg('name'),
      ...(category !== undefined && { category }),
      ...(description !== undefined && { description }),
    },
  });
  call.out.answer(group, () => call.out.line(`group ${group.name} is made`));
};
