import { run_list } from '@hostwright/api/nouns/run';
import { ago, seconds } from '../ago.ts';
import { connect, readPages } from '../connect.ts';
import type { Invocation } from '../invocation.ts';
import { paintState } from '../paint.ts';

const took = (run: {
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}): string =>
  run.startedAt === null
    ? '-'
    : seconds(
        (Date.parse(run.endedAt ?? new Date().toISOString()) - Date.parse(run.startedAt)) / 1000,
      );

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const { items, more } = await readPages(call.number('limit', { least: 1 }) ?? 50, (page) =>
    client.call(run_list, {
      query: {
        ...page,
        node: [...call.many('node')],
        role: [...call.many('role')],
        deployment: [...call.many('deployment')],
        status: [...call.many('status')],
        ...(call.flag('live') && { live: true }),
      },
    }),
  );
  const { out } = call;
  out.answer({ items, more }, () =>
    out.table(
      [
        { title: 'RUN', cell: (item) => item.id, right: true },
        {
          title: 'STATUS',
          cell: (item) => item.status,
          paint: (text, item) => text.replace(item.status, paintState(out.paint, item.status)),
        },
        { title: 'NODE', cell: (item) => item.node },
        {
          title: 'ROLE',
          cell: (item) => (item.kind === 'run' ? item.role : `${item.role} (${item.kind})`),
        },
        { title: 'STARTED', cell: (item) => ago(item.startedAt) },
        { title: 'TOOK', cell: took },
        { title: 'TRY', cell: (item) => item.attempt, right: true },
        { title: 'WHY', cell: (item) => item.error ?? item.cause },
      ],
      items,
      'no runs',
    ),
  );
};
