import { node_attribs } from '@hostwright/api/nouns/node-explain';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { harmless } from '../../show-fields.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(node_attribs, { params: { node: call.arg('node') } });
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'ATTRIBUTE', cell: (item) => item.name },
        { title: 'VALUE', cell: (item) => harmless(item.value) },
        { title: 'LAYER', cell: (item) => item.layer },
        { title: 'FROM', cell: (item) => item.from },
      ],
      answer.items,
      'it has no attributes of its own',
    ),
  );
};
