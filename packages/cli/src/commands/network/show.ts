import { network_get } from '@hostwright/api/nouns/network';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { showFields } from '../../show-fields.ts';

export const run = async (call: Invocation): Promise<void> => {
  const params = { network: call.arg('network') };
  const network = await connect(call).call(network_get, { params });
  const { out } = call;
  out.answer(network, () => {
    showFields(out, [
      ['network', `${network.name} (id ${network.id})`],
      ['description', network.description],
      ['category', network.category],
      ['group', network.group],
      ['domain', network.domain],
      ['vlan', network.vlan],
      ['mtu', network.mtu],
      ['conduit', network.conduit],
      ['bond', network.bondMode],
      ['bridge', network.bridge ? 'yes' : ''],
      ['configured', network.configure ? 'yes' : 'no, addresses are only recorded'],
      ['quarantine', `${network.quarantineSeconds} s`],
      ['routers', network.routers.map((one) => `${one.address} (${one.pref})`).join(' ')],
    ]);
    out.line();
    out.table(
      [
        { title: 'RANGE', cell: (range) => range.name },
        { title: 'KIND', cell: (range) => range.kind },
        { title: 'SUBNET', cell: (range) => range.subnet },
        { title: 'FIRST', cell: (range) => range.first },
        { title: 'LAST', cell: (range) => range.last },
        { title: 'SIZE', cell: (range) => range.size, right: true },
        { title: 'HELD', cell: (range) => range.held, right: true },
        { title: 'RESERVED', cell: (range) => range.reserved, right: true },
        { title: 'QUARANTINED', cell: (range) => range.quarantined, right: true },
      ],
      network.ranges,
      'no ranges',
    );
  });
};
