import { network_list } from '@hostwright/api/nouns/network';
import { connect, readPages } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const answer = await readPages(10_000, (query) => client.call(network_list, { query }));
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'NETWORK', cell: (item) => item.name },
        { title: 'CATEGORY', cell: (item) => item.category },
        { title: 'VLAN', cell: (item) => item.vlan ?? '-', right: true },
        { title: 'CONDUIT', cell: (item) => item.conduit || '-' },
        {
          title: 'SUBNETS',
          cell: (item) => [...new Set(item.ranges.map((range) => range.subnet))].join(' '),
        },
        {
          title: 'HELD',
          cell: (item) => item.ranges.reduce((sum, range) => sum + range.held, 0),
          right: true,
        },
        { title: 'ROUTERS', cell: (item) => item.routers.map((one) => one.address).join(' ') },
        { title: 'DOMAIN', cell: (item) => item.domain },
      ],
      answer.items,
      'no networks; `hostwright network create` makes one',
    ),
  );
};
