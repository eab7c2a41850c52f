import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  dropKeaDatabase,
  feedServer,
  keaConnection,
  keaDriver,
  missingAcks,
  prepareKeaDatabase,
  readAcks,
  refusedAcks,
  registerBootServer,
  startKea,
  stopKea,
} from '../src/index.ts';
import { openDhcpSite, type DhcpSite } from './dhcp-site.ts';
import { addNode, mac } from './fixtures.ts';
import { hasPrograms, perfdhcp } from './netns.ts';
import { openPostgresDoor } from './postgres-door.ts';

const SCHEMA = '/usr/share/kea/scripts/pgsql/dhcpdb_create.pgsql';

describe.skipIf(!hasPrograms('/usr/sbin/kea-dhcp4', '/usr/bin/busybox') || !existsSync(SCHEMA))(
  'Kea',
  () => {
    let site: DhcpSite;
    let hosts: pg.Pool;
    let door: Awaited<ReturnType<typeof openPostgresDoor>>;
    let serverId: number;

    const subnets = [{ id: 1, subnet: '192.168.77.0/24' }];
    const driver = () =>
      keaDriver({ pool: hosts, controlSocket: join(site.folder, 'control'), subnets });
    const feed = () => feedServer(site.database.db, { serverId, driver: driver() });

    beforeAll(async () => {
      site = await openDhcpSite();
      const { cable, database, folder } = site;
      const { url } = await prepareKeaDatabase({ hostwrightUrl: database.url });
      hosts = new pg.Pool({ connectionString: url });
      door = await openPostgresDoor(url, folder);
      await startKea(
        {
          folder,
          interfaces: [cable.serverLink],
          hostDatabase: { ...keaConnection(url), host: door.host },
          subnets: [
            {
              id: 1,
              subnet: '192.168.77.0/24',
              pools: [{ first: '192.168.77.100', last: '192.168.77.250' }],
            },
          ],
          bootUrl: 'http://192.168.77.1:8080',
          nextServer: '192.168.77.1',
        },
        site.within,
      );
      serverId = await registerBootServer(database.db, { name: 'kea', kind: 'kea' });
    });
    afterAll(async () => {
      await stopKea(site.folder);
      door.close();
      await hosts.end();
      await dropKeaDatabase(site.database.url);
      await site.close();
    });

    test('a committed host is in effect at once, by either card; a local one is given no loader', async () => {
      const nodeId = await addNode(site.database, {
        name: 'web1',
        macs: [mac(1), mac(2)],
        bootenv: 'discovery',
      });
      await site.give(nodeId, '192.168.77.42');
      await feed();
      expect(missingAcks(await readAcks(site.database.db, nodeId))).toEqual([]);
      expect(await site.lease(mac(1))).toMatchObject({
        ip: '192.168.77.42',
        boot_file: 'undionly.kpxe',
      });
      await site.database.db
        .updateTable('node')
        .set({ bootenv: 'local' })
        .where('id', '=', nodeId)
        .execute();
      await feed();
      expect(await site.lease(mac(1))).toMatchObject({
        ip: '192.168.77.42',
        boot_file: 'local',
      });
      const { rows } = await hosts.query<{ count: number }>(
        'select count(*)::int as count from hosts',
      );
      expect(rows[0]?.count).toBe(2);
      await site.database.db
        .updateTable('node')
        .set({ deleted_at: new Date() })
        .where('id', '=', nodeId)
        .execute();
      await feed();
      expect((await hosts.query('select 1 from hosts')).rowCount).toBe(0);
    });

    test('a node whose card somebody entered by hand is refused, until that is gone; another is served', async () => {
      await hosts.query(
        "insert into hosts (dhcp_identifier, dhcp_identifier_type, dhcp4_subnet_id, ipv4_address) values (decode($1, 'hex'), 0, 1, 0)",
        [mac(4).replaceAll(':', '')],
      );
      const bad = await addNode(site.database, { name: 'twice', macs: [mac(4)] });
      const good = await addNode(site.database, { name: 'once', macs: [mac(5)] });
      await site.give(bad, '192.168.77.44');
      await site.give(good, '192.168.77.45');
      const refused = async (nodeId: number) =>
        refusedAcks(await readAcks(site.database.db, nodeId)).map((ack) => ack.refused);
      await feed();
      expect(await refused(bad)).toEqual([expect.stringContaining('duplicate key')]);
      expect(await refused(good)).toEqual([]);
      expect(await site.lease(mac(5))).toMatchObject({ ip: '192.168.77.45' });
      await hosts.query('delete from hosts where user_context is null');
      await site.database.db
        .updateTable('node')
        .set({ bootenv: 'discovery' })
        .where('id', '=', bad)
        .execute();
      await feed();
      expect(await refused(bad)).toEqual([]);
      expect(await site.lease(mac(4))).toMatchObject({ ip: '192.168.77.44' });
    });

    test.skipIf(!existsSync('/usr/sbin/perfdhcp'))(
      'perfdhcp gets leases of the pool, each its own',
      async () => {
        const report = await perfdhcp(site.cable, '-r 40 -n 120 -R 120 -b mac=52:54:00:aa:00:01');
        const acks = /REQUEST-ACK[\s\S]*?received packets: (\d+)/.exec(report);
        expect(Number(acks?.[1]), report).toBeGreaterThan(0);
        expect(report).toMatch(/non unique addresses: 0/);
      },
    );

    test('the password of the host database is readable by us only', () => {
      expect(statSync(join(site.folder, 'kea.json')).mode & 0o077).toBe(0);
    });

    test('a Kea that is gone acknowledges nothing', async () => {
      const nodeId = await addNode(site.database, { name: 'gone', macs: [mac(3)] });
      const lost = keaDriver({
        pool: hosts,
        controlSocket: join(site.folder, 'nowhere'),
        subnets,
      });
      await expect(feedServer(site.database.db, { serverId, driver: lost })).rejects.toThrow(
        /does not answer/,
      );
      expect(missingAcks(await readAcks(site.database.db, nodeId))).toHaveLength(1);
    });
  },
);
