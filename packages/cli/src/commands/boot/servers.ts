import { boot_server_list } from '@hostwright/api/nouns/boot';
import { ago } from '../../ago.ts';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(boot_server_list);
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'SERVER', cell: (item) => item.name },
        { title: 'KIND', cell: (item) => item.kind },
        { title: 'CURRENT', cell: (item) => item.current, right: true },
        { title: 'BEHIND', cell: (item) => item.behind, right: true },
        { title: 'REFUSED', cell: (item) => item.refused, right: true },
        { title: 'FED', cell: (item) => ago(item.fedAt) },
        { title: 'ERROR', cell: (item) => item.error ?? '' },
      ],
      answer.items,
      'no DHCP or DNS server is fed',
    ),
  );
};
