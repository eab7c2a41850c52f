import { boot_list } from '@hostwright/api/nouns/boot';
import { connect, readPages } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { showBoots } from '../../show-boots.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const mac = call.text('mac');
  const answer = await readPages(call.number('limit', { least: 1 }) ?? 50, (page) =>
    client.call(boot_list, {
      query: {
        ...page,
        ...(mac !== undefined && { mac }),
        ...(call.flag('strangers') && { strangers: true }),
      },
    }),
  );
  call.out.answer(answer, () => showBoots(call.out, answer.items));
};
