import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transaction } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  allocateAddress,
  dropKeaDatabase,
  feedServer,
  keaConnection,
  keaDriver,
  missingAcks,
  prepareKeaDatabase,
  readAcks,
  registerBootServer,
  startKea,
  stopKea,
} from '../src/index.ts';
import { addNetwork, addNode, ADMIN_NETWORK, mac } from './fixtures.ts';
import { hasPrograms, layCable, leaseFor, perfdhcp, type Cable } from './netns.ts';
import { openPostgresDoor } from './postgres-door.ts';

const SCHEMA = '/usr/share/kea/scripts/pgsql/dhcpdb_create.pgsql';
const SCRIPT =
  '#!/bin/sh\n[ "$1" = bound ] && { echo "ip=$ip"; echo "boot_file=$boot_file$bootfile"; }; exit 0\n';

describe.skipIf(!hasPrograms('/usr/sbin/kea-dhcp4', '/usr/bin/busybox') || !existsSync(SCHEMA))(
  'Kea',
  () => {
    let database: TestDatabase;
    let hosts: pg.Pool;
    let cable: Cable;
    let folder: string;
    let script: string;
    let door: Awaited<ReturnType<typeof openPostgresDoor>>;
    let ranges: Readonly<Record<string, number>>;
    let serverId: number;

    const subnets = [{ id: 1, subnet: '192.168.77.0/24' }];
    const driver = () =>
      keaDriver({ pool: hosts, controlSocket: join(folder, 'control'), subnets });
    const feed = () => feedServer(database.db, { serverId, driver: driver() });

    beforeAll(async () => {
      database = await createTestDatabase();
      cable = await layCable('192.168.77.1/24');
      folder = mkdtempSync(join(tmpdir(), 'hostwright-kea-'));
      script = join(folder, 'client.sh');
      writeFileSync(script, SCRIPT);
      chmodSync(script, 0o755);
      ranges = await addNetwork(database, ADMIN_NETWORK);
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
        ['ip', 'netns', 'exec', cable.server],
      );
      serverId = await registerBootServer(database.db, { name: 'kea', kind: 'kea' });
    });
    afterAll(async () => {
      await stopKea(folder);
      door.close();
      cable.remove();
      rmSync(folder, { recursive: true });
      await hosts.end();
      await dropKeaDatabase(database.url);
      await database.close();
    });

    test('a committed host is in effect at once, by either card; a local one is given no loader', async () => {
      const nodeId = await addNode(database, {
        name: 'web1',
        macs: [mac(1), mac(2)],
        bootenv: 'discovery',
      });
      await transaction(database.db, (tx) =>
        allocateAddress(tx, { nodeId, rangeId: ranges['host'] ?? 0, hint: '192.168.77.42' }),
      );
      await feed();
      expect(missingAcks(await readAcks(database.db, nodeId))).toEqual([]);
      expect(await leaseFor(cable, mac(1), script)).toMatchObject({
        ip: '192.168.77.42',
        boot_file: 'undionly.kpxe',
      });
      await database.db
        .updateTable('node')
        .set({ bootenv: 'local' })
        .where('id', '=', nodeId)
        .execute();
      await feed();
      expect(await leaseFor(cable, mac(1), script)).toMatchObject({
        ip: '192.168.77.42',
        boot_file: 'local',
      });
      const { rows } = await hosts.query<{ count: number }>(
        'select count(*)::int as count from hosts',
      );
      expect(rows[0]?.count).toBe(2);
      await database.db
        .updateTable('node')
        .set({ deleted_at: new Date() })
        .where('id', '=', nodeId)
        .execute();
      await feed();
      expect((await hosts.query('select 1 from hosts')).rowCount).toBe(0);
    });

    test.skipIf(!existsSync('/usr/sbin/perfdhcp'))(
      'perfdhcp gets leases of the pool, each its own',
      async () => {
        const report = await perfdhcp(cable, '-r 40 -n 120 -R 120 -b mac=52:54:00:aa:00:01');
        const acks = /REQUEST-ACK[\s\S]*?received packets: (\d+)/.exec(report);
        expect(Number(acks?.[1]), report).toBeGreaterThan(0);
        expect(report).toMatch(/non unique addresses: 0/);
      },
    );

    test('the password of the host database is readable by us only', () => {
      expect(statSync(join(folder, 'kea.json')).mode & 0o077).toBe(0);
    });

    test('a Kea that is gone acknowledges nothing', async () => {
      const nodeId = await addNode(database, { name: 'gone', macs: [mac(3)] });
      const lost = keaDriver({
        pool: hosts,
        controlSocket: join(folder, 'nowhere'),
        subnets,
      });
      await expect(feedServer(database.db, { serverId, driver: lost })).rejects.toThrow(
        /does not answer/,
      );
      expect(missingAcks(await readAcks(database.db, nodeId))).toHaveLength(1);
    });
  },
);
