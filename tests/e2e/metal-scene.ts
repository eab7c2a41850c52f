/** Something to look at on the pages about metal: networks, addresses, boots, operating systems. */
import { importOsTemplates, recordBootEvent } from '@hostwright/boot';
import { transaction } from '@hostwright/engine';
import { allocation_create, allocation_reserve } from '@hostwright/api/nouns/allocation';
import { network_create } from '@hostwright/api/nouns/network';
import { node_list } from '@hostwright/api/nouns/node';
import type { Site } from './site.ts';

const NETWORKS = [
  ['admin', 'Machines boot from it', 'admin', '1g0', null, '10.20.0'],
  ['bmc', 'Controllers of the machines', 'bmc', 'bmc', 100, '10.21.0'],
  ['storage', 'Replicas and backups', 'general', '10g0', 42, '10.42.0'],
] as const;

const BOOT = [
  ['power', 'on, by ipmi'],
  ['dhcp', 'asked from 3c:ec:ef:10:00:00, offered 10.20.0.10'],
  ['tftp', 'snponly.efi, 214 KiB'],
  ['script', 'told to boot discovery'],
  ['file', 'vmlinuz, 11.2 MiB'],
  ['file', 'initrd, 9.8 MiB'],
  ['join', 'joined as this node'],
  ['hello', 'its agent said hello'],
] as const;

export const paintMetal = async (site: Site): Promise<void> => {
  const { client, database } = site;
  for (const [name, description, category, conduit, vlan, prefix] of NETWORKS)
    await client.call(network_create, {
      body: {
        name,
        description,
        category,
        conduit,
        vlan,
        domain: 'berlin.example',
        ranges: [
          {
            name: 'host',
            kind: 'host',
            subnet: `${prefix}.0/24`,
            first: `${prefix}.10`,
            last: `${prefix}.200`,
          },
        ],
        routers: [{ address: `${prefix}.1` }],
      },
    });
  const { items } = await client.call(node_list, { query: { q: 'rack', limit: 8, sort: 'name' } });
  for (const { name: node } of items)
    for (const network of ['admin', 'bmc'])
      await client.call(allocation_create, {
        params: { network, range: 'host' },
        body: { node },
      });
  await client.call(allocation_reserve, {
    params: { network: 'admin', range: 'host' },
    body: { address: '10.20.0.99', note: 'the switch of rack r01' },
  });
  await importOsTemplates(database.db);
  await transaction(database.db, async (tx) => {
    for (const [kind, text] of BOOT)
      await recordBootEvent(tx, {
        nodeId: items[0]?.id ?? null,
        mac: '3c:ec:ef:10:00:00',
        firmware: 'uefi',
        kind,
        text,
      });
    await recordBootEvent(tx, {
      mac: '52:54:00:aa:bb:cc',
      firmware: 'bios',
      kind: 'dhcp',
      text: 'asked from 52:54:00:aa:bb:cc, nobody knows it',
    });
  });
};
