import { node_get } from '@hostwright/api/nouns/node';
import { node_why } from '@hostwright/api/nouns/node-explain';
import { noderole_list } from '@hostwright/api/nouns/noderole';
import { ago } from '../../ago.ts';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { paintState } from '../../paint.ts';
import { showFields } from '../../show-fields.ts';
import { factLines } from './fact-lines.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const params = { node: call.arg('node') };
  const [node, why, noderoles] = await Promise.all([
    client.call(node_get, { params }),
    client.call(node_why, { params }),
    client.call(noderole_list, { query: { node: params.node, sort: 'cohort', limit: 1000 } }),
  ]);
  const { out } = call;
  out.answer({ ...node, why, noderoles: noderoles.items }, () => {
    showFields(out, [
      ['node', `${node.name} (id ${node.id})`],
      ['state', paintState(out.paint, node.rollup)],
      ['why', why.sentence],
      ['to do', why.command],
      [
        'alive',
        `${node.alive ? 'yes' : 'no'}${node.aliveReason === '' ? '' : `: ${node.aliveReason}`}, for ${ago(node.aliveChangedAt)}`,
      ],
      ['available', node.available ? 'yes' : 'no'],
      ['deployment', node.deployment],
      ['bootenv', node.bootenv],
      ['boot', `${node.bootId ?? 'never'} (epoch ${node.bootEpoch})`],
      [
        'labels',
        Object.entries(node.labels)
          .map(([key, value]) => `${key}=${value}`)
          .join(' '),
      ],
      ['groups', node.groups.join(' ')],
      ['macs', node.macs.join(' ')],
      ...factLines(node.discovery),
    ]);
    out.line();
    out.table(
      [
        { title: 'ID', cell: (item) => item.id, right: true },
        { title: 'ROLE', cell: (item) => item.role },
        {
          title: 'STATE',
          cell: (item) => item.state,
          paint: (text, item) => text.replace(item.state, paintState(out.paint, item.state)),
        },
        { title: 'DEPLOYMENT', cell: (item) => item.deployment },
        { title: 'SINCE', cell: (item) => ago(item.stateSince) },
        { title: 'REASON', cell: (item) => item.driftReason ?? item.reason },
      ],
      noderoles.items,
      'no roles are bound to it',
    );
  });
};
