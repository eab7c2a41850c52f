import { bootenv_list } from '@hostwright/api/nouns/boot';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(bootenv_list);
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'ENVIRONMENT', cell: (item) => item.name },
        { title: 'KIND', cell: (item) => item.kind },
        { title: 'BOOTABLE', cell: (item) => item.bootable },
        { title: 'NODES', cell: (item) => item.nodes, right: true },
        { title: 'WHAT', cell: (item) => item.description },
        { title: 'MISSING', cell: (item) => item.missing.join(' ') },
      ],
      answer.items,
      'no boot environments',
    ),
  );
};
