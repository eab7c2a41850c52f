import { boot_list } from '@hostwright/api/nouns/boot';
import { connect, readPages } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { showBoots } from '../../show-boots.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const node = call.arg('node');
  const answer = await readPages(call.number('limit', { least: 1 }) ?? 50, (page) =>
    client.call(boot_list, { query: { ...page, node } }),
  );
  call.out.answer(answer, () => showBoots(call.out, answer.items));
};
