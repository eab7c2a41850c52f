import { readContexts, readLocalContext } from '../../context.ts';
import { dataDir } from '../../data-dir.ts';
import type { Invocation } from '../../invocation.ts';

export const run = (call: Invocation): Promise<void> => {
  const { current, contexts } = readContexts();
  const local = readLocalContext(dataDir(call.text('data-dir')));
  const items = [
    ...(local === undefined
      ? []
      : [{ name: '(this machine)', url: local.url, current: current === null }]),
    ...Object.entries(contexts).map(([name, { url }]) => ({
      name,
      url,
      current: name === current,
    })),
  ];
  call.out.answer({ items }, () =>
    call.out.table(
      [
        { title: 'CONTEXT', cell: (item) => item.name },
        { title: 'SERVER', cell: (item) => item.url },
        { title: 'IN USE', cell: (item) => item.current },
      ],
      items,
      'no server is known here',
    ),
  );
  return Promise.resolve();
};
