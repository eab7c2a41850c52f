import { snapshot_list } from '@hostwright/api/nouns/snapshot';
import { ago } from '../../ago.ts';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { paintState } from '../../paint.ts';

export const run = async (call: Invocation): Promise<void> => {
  const params = { deployment: call.arg('deployment') };
  const answer = await connect(call).call(snapshot_list, { params, query: { limit: 1000 } });
  const { out } = call;
  out.answer(answer, () =>
    out.table(
      [
        { title: 'REVISION', cell: (item) => item.revision, right: true },
        {
          title: 'STATE',
          cell: (item) => item.state,
          paint: (text, item) => text.replace(item.state, paintState(out.paint, item.state)),
        },
        { title: 'MADE', cell: (item) => ago(item.createdAt) },
        { title: 'BY', cell: (item) => item.createdBy },
        { title: 'COMMITTED', cell: (item) => ago(item.committedAt) },
        { title: 'BASED ON', cell: (item) => item.basedOn, right: true },
        { title: 'MESSAGE', cell: (item) => item.haltedReason ?? item.message },
      ],
      answer.items,
      'no snapshots yet',
    ),
  );
};
