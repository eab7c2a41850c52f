import { name_filter_list } from '@hostwright/api/nouns/name-filter';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(name_filter_list);
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'FILTER', cell: (item) => item.name },
        { title: 'PRIORITY', cell: (item) => item.priority, right: true },
        { title: 'TEMPLATE', cell: (item) => item.template },
        {
          title: 'MATCHES',
          cell: (item) =>
            Object.entries(item.matcher)
              .map(([key, value]) => `${key}=${value}`)
              .join(' ') || 'everything',
        },
      ],
      answer.items,
      'no name filters: addresses get no names',
    ),
  );
};
