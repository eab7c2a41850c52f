import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transaction } from '@hostwright/engine';
import { createTestDatabase, eventually, type TestDatabase } from '@hostwright/testkit';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  allocateAddress,
  askKea,
  feedServer,
  keaDriver,
  missingAcks,
  readAcks,
  registerBootServer,
  renderKeaConfig,
} from '../src/index.ts';
import { addNetwork, addNode, ADMIN_NETWORK, mac } from './fixtures.ts';
import { hasPrograms, layCable, leaseFor, type Cable } from './netns.ts';

const SCHEMA = '/usr/share/kea/scripts/pgsql/dhcpdb_create.pgsql';
const SCRIPT =
  '#!/bin/sh\n[ "$1" = bound ] && { echo "ip=$ip"; echo "boot_file=$boot_file$bootfile"; }; exit 0\n';

describe.skipIf(!hasPrograms('/usr/sbin/kea-dhcp4', '/usr/bin/busybox') || !existsSync(SCHEMA))(
  'Kea',
  () => {
    let database: TestDatabase;
    let hosts: TestDatabase;
    let cable: Cable;
    let folder: string;
    let script: string;
    let kea: ChildProcess;
    let ranges: Readonly<Record<string, number>>;
    let serverId: number;

    const driver = () =>
      keaDriver({ pool: hosts.pool, controlSocket: join(folder, 'control'), subnetId: 1 });
    const feed = () => feedServer(database.db, { serverId, driver: driver() });

    beforeAll(async () => {
      database = await createTestDatabase();
      // a database of its own for Kea's schema; the tables of ours that the clone holds are in its way
      hosts = await createTestDatabase();
      await hosts.pool.query('drop schema public cascade; create schema public');
      await hosts.pool.query(readFileSync(SCHEMA, 'utf8'));
      // Kea reads PostgreSQL on the loopback of this namespace, so its end of the cable is here too
      cable = await layCable('192.168.77.1/24', { serverHere: true });
      folder = mkdtempSync(join(tmpdir(), 'hostwright-kea-'));
      script = join(folder, 'client.sh');
      writeFileSync(script, SCRIPT);
      chmodSync(script, 0o755);
      ranges = await addNetwork(database, ADMIN_NETWORK);
      const url = new URL(hosts.url);
      writeFileSync(
        join(folder, 'kea.json'),
        renderKeaConfig({
          folder,
          interfaces: [cable.serverLink],
          hostDatabase: {
            host: url.hostname,
            port: Number(url.port),
            name: url.pathname.slice(1),
            user: decodeURIComponent(url.username),
            password: decodeURIComponent(url.password),
          },
          subnets: [
            { id: 1, subnet: '192.168.77.0/24', first: '192.168.77.100', last: '192.168.77.250' },
          ],
          bootUrl: 'http://192.168.77.1:8080',
          nextServer: '192.168.77.1',
        }),
      );
      kea = spawn('kea-dhcp4', ['-c', join(folder, 'kea.json')], {
        stdio: 'ignore',
        env: { ...process.env, KEA_PIDFILE_DIR: folder, KEA_LOCKFILE_DIR: folder },
      });
      await eventually(() => askKea(join(folder, 'control'), 'status-get'), {
        what: `Kea ${existsSync(join(folder, 'kea.log')) ? readFileSync(join(folder, 'kea.log'), 'utf8') : ''}`,
      });
      serverId = await registerBootServer(database.db, { name: 'kea', kind: 'kea' });
    });
    afterAll(async () => {
      kea.kill('SIGKILL');
      cable.remove();
      rmSync(folder, { recursive: true });
      await hosts.close();
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
      const { rows } = await hosts.pool.query<{ count: number }>(
        'select count(*)::int as count from hosts',
      );
      expect(rows[0]?.count).toBe(2);
      await database.db
        .updateTable('node')
        .set({ deleted_at: new Date() })
        .where('id', '=', nodeId)
        .execute();
      await feed();
      expect((await hosts.pool.query('select 1 from hosts')).rowCount).toBe(0);
    });

    test('a Kea that is gone acknowledges nothing', async () => {
      const nodeId = await addNode(database, { name: 'gone', macs: [mac(3)] });
      const lost = keaDriver({
        pool: hosts.pool,
        controlSocket: join(folder, 'nowhere'),
        subnetId: 1,
      });
      await expect(feedServer(database.db, { serverId, driver: lost })).rejects.toThrow(
        /does not answer/,
      );
      expect(missingAcks(await readAcks(database.db, nodeId))).toHaveLength(1);
    });
  },
);
