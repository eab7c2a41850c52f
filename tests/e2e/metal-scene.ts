/** Something to look at on the pages about metal: networks, addresses, boots, operating systems. */
import { importOsTemplates, recordBootEvent } from '@hostwright/boot';
import { transaction } from '@hostwright/engine';
import { sql } from 'kysely';
import { allocation_create, allocation_reserve } from '@hostwright/api/nouns/allocation';
import { network_create } from '@hostwright/api/nouns/network';
import { node_list } from '@hostwright/api/nouns/node';
import type { Site } from './site.ts';

const NETWORKS = [
  ['admin', 'Machines boot from it', 'admin', '1g0', null, '10.20.0'],
  ['bmc', 'Controllers of the machines', 'bmc', 'bmc', 100, '10.21.0'],
  ['storage', 'Replicas and backups', 'general', '10g0', 42, '10.42.0'],
] as const;

/** With the seconds at which each was seen. */
const BOOT = [
  ['power', 'on, by ipmi', 0],
  ['dhcp', 'asked from 3c:ec:ef:10:00:00, offered 10.20.0.10', 41.2],
  ['tftp', 'snponly.efi, 214 KiB', 41.9],
  ['script', 'discovery: an unknown machine', 44.3],
  ['file', 'vmlinuz, 11.2 MiB', 44.8],
  ['file', 'initrd, 9.8 MiB', 45.1],
  ['join', 'joined as this node', 58.6],
  ['hello', 'its agent said hello', 59],
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
    const nodeId = items[0]?.id ?? null;
    const { id: intentId } = await tx
      .insertInto('boot_intent')
      .values({
        node_id: nodeId,
        bootenv: 'discovery',
        expires_at: sql<Date>`now()`,
        used_at: sql<Date>`now()`,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const [kind, text, second] of BOOT) {
      await recordBootEvent(tx, {
        nodeId,
        mac: '3c:ec:ef:10:00:00',
        uuid: '654f9b0a-2f20-4d40-a135-000100000000',
        firmware: 'uefi',
        intentId,
        kind,
        text,
      });
      await sql`
        update boot_event set at = now() - interval '1 minute' + ${second} * interval '1 second'
        where id = (select max(id) from boot_event)`.execute(tx);
    }
    await sql`
      update boot_attempt set started_at = now() - interval '1 minute', script_at = now() - interval '15.7 seconds',
        hello_at = now() - interval '1 second'`.execute(tx);
    await recordBootEvent(tx, {
      mac: '52:54:00:aa:bb:cc',
      firmware: 'bios',
      kind: 'dhcp',
      text: 'asked from 52:54:00:aa:bb:cc, nobody knows it',
    });
  });
};
