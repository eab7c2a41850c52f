import { allocation_list } from '@hostwright/api/nouns/allocation';
import { connect, readPages } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const network = call.optionalArg('network');
  const node = call.text('node');
  const q = call.text('search');
  const { items, more } = await readPages(call.number('limit', { least: 1 }) ?? 500, (page) =>
    client.call(allocation_list, {
      query: {
        ...page,
        ...(network !== undefined && { network }),
        ...(node !== undefined && { node }),
        ...(q !== undefined && { q }),
        state: [...call.many('state')],
      },
    }),
  );
  const { out } = call;
  out.answer({ items, more }, () => {
    out.table(
      [
        { title: 'ID', cell: (item) => item.id, right: true },
        { title: 'ADDRESS', cell: (item) => item.address },
        { title: 'NETWORK', cell: (item) => `${item.network}/${item.range}` },
        { title: 'STATE', cell: (item) => item.state },
        { title: 'FOR', cell: (item) => item.node ?? item.note },
        { title: 'NAMES', cell: (item) => item.names.join(' ') },
        { title: 'UNTIL', cell: (item) => item.quarantineUntil ?? '' },
      ],
      items,
      'no addresses are in use',
    );
    if (more) out.note('there are more; --limit shows more of them');
  });
};
