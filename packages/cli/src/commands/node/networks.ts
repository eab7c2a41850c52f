import { allocation_node } from '@hostwright/api/nouns/allocation';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(allocation_node, { params: { node: call.arg('node') } });
  const { out } = call;
  out.answer(answer, () => {
    out.table(
      [
        { title: 'NETWORK', cell: (item) => `${item.network}/${item.range}` },
        { title: 'ADDRESS', cell: (item) => item.address },
        { title: 'NAMES', cell: (item) => item.names.join(' ') },
      ],
      answer.addresses,
      'it has no address',
    );
    if (answer.links.length === 0) return;
    out.line();
    out.table(
      [
        { title: 'NETWORK', cell: (link) => link.network },
        { title: 'CONDUIT', cell: (link) => link.conduit },
        {
          title: 'NICS',
          cell: (link) =>
            link.error ?? link.members.map((nic) => `${nic.name} (${nic.mac})`).join(' '),
        },
        { title: 'BOND', cell: (link) => link.bondMode ?? '' },
        { title: 'VLAN', cell: (link) => link.vlan ?? '', right: true },
        { title: 'BRIDGE', cell: (link) => link.bridge ?? '' },
        {
          title: 'SWITCH',
          cell: (link) =>
            link.members
              .map((nic) => nic.switch)
              .filter((text) => text !== '')
              .join(', '),
        },
      ],
      answer.links,
      '',
    );
  });
};
