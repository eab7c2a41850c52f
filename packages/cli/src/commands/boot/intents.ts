import { boot_intent_list } from '@hostwright/api/nouns/boot';
import { ago } from '../../ago.ts';
import { connect, readPages } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const node = call.text('node');
  const answer = await readPages(call.number('limit', { least: 1 }) ?? 50, (page) =>
    client.call(boot_intent_list, {
      query: {
        ...page,
        ...(node !== undefined && { node }),
        ...(call.flag('open') && { open: true }),
      },
    }),
  );
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'ID', cell: (item) => item.id, right: true },
        { title: 'NODE', cell: (item) => item.node ?? item.mac ?? '' },
        { title: 'BOOTS', cell: (item) => item.bootenv },
        { title: 'STATE', cell: (item) => item.state },
        { title: 'RUN', cell: (item) => item.runId ?? '-', right: true },
        { title: 'AGO', cell: (item) => ago(item.createdAt) },
        { title: 'REASON', cell: (item) => item.reason ?? '' },
      ],
      answer.items,
      'no boot intents',
    ),
  );
};
