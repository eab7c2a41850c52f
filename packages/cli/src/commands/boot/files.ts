import { boot_file_list } from '@hostwright/api/nouns/boot-file';
import { connect, readPages } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const answer = await readPages(10_000, (query) => client.call(boot_file_list, { query }));
  call.out.answer(answer, () =>
    call.out.table(
      [
        { title: 'FILE', cell: (item) => item.path },
        { title: 'BYTES', cell: (item) => item.size, right: true },
        { title: 'SHA256', cell: (item) => item.sha256 },
        { title: 'SINCE', cell: (item) => item.updatedAt },
      ],
      answer.items,
      'no boot files are registered; the role provisioner-server makes the discovery image, `hostwright boot add` takes in others',
    ),
  );
};
