import { node_list } from '@hostwright/api/nouns/node';
import { ago } from '../../ago.ts';
import { connect, readPages } from '../../connect.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import { paintState } from '../../paint.ts';

const SORTS = [
  'name',
  'id',
  'createdAt',
  'updatedAt',
  'aliveChangedAt',
  'bootenv',
  'deployment',
] as const;
type Sort = (typeof SORTS)[number] | `-${(typeof SORTS)[number]}`;

const isSort = (text: string): text is Sort =>
  SORTS.some((field) => text === field || text === `-${field}`);

const readSort = (text: string | undefined): Sort => {
  if (text === undefined) return 'name';
  if (!isSort(text))
    throw new Failure('usage', `--sort takes one of ${SORTS.join(', ')}, not ${text}`);
  return text;
};

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const sort = readSort(call.text('sort'));
  const alive = call.flag('alive') ? true : call.flag('dead') ? false : undefined;
  const search = call.text('search');
  const lists = {
    deployment: [...call.many('deployment')],
    state: [...call.many('state')],
    label: [...call.many('label')],
    role: [...call.many('role')],
    group: [...call.many('group')],
  };
  const all =
    search === undefined &&
    alive === undefined &&
    Object.values(lists).every((wanted) => wanted.length === 0);
  const { items, more } = await readPages(call.number('limit', { least: 1 }) ?? 500, (page) =>
    client.call(node_list, {
      query: {
        ...page,
        sort,
        ...(search !== undefined && { q: search }),
        ...(alive !== undefined && { alive }),
        ...lists,
      },
    }),
  );
  const { out } = call;
  out.answer({ items, more }, () => {
    out.table(
      [
        { title: 'NODE', cell: (node) => node.name },
        {
          title: 'STATE',
          cell: (node) => node.rollup,
          paint: (text, node) => text.replace(node.rollup, paintState(out.paint, node.rollup)),
        },
        {
          title: 'ALIVE',
          cell: (node) => node.alive,
          paint: (text, node) => (node.alive ? text : out.paint('red', text)),
        },
        { title: 'DEPLOYMENT', cell: (node) => node.deployment },
        { title: 'BOOTENV', cell: (node) => node.bootenv },
        { title: 'SEEN', cell: (node) => ago(node.lastSeenAt) },
        {
          title: 'LABELS',
          cell: (node) =>
            Object.entries(node.labels)
              .map(([key, value]) => `${key}=${value}`)
              .join(' '),
        },
      ],
      items,
      all
        ? 'no nodes; `hostwright join-command` prints the command that adds one'
        : 'no node is like that',
    );
    if (more) out.note('there are more; --limit shows more of them');
  });
};
