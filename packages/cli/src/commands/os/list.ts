import { os_list } from '@hostwright/api/nouns/os';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(os_list);
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'OS', cell: (item) => item.name },
        { title: 'TITLE', cell: (item) => item.title },
        { title: 'KIND', cell: (item) => item.kind },
        { title: 'BOOTABLE', cell: (item) => item.bootable },
        { title: 'MISSING', cell: (item) => item.missing.join(' ') },
      ],
      answer.items,
      'no OS templates; the role provisioner-server imports them',
    ),
  );
};
