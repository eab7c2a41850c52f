import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transaction } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  allocateAddress,
  dnsmasqDriver,
  feedServer,
  missingAcks,
  readAcks,
  registerBootServer,
  releaseAddresses,
  startDnsmasq,
  stopDnsmasq,
} from '../src/index.ts';
import { addNetwork, addNode, ADMIN_NETWORK, bindRole, mac } from './fixtures.ts';
import { hasPrograms, layCable, leaseFor, type Cable } from './netns.ts';

const PORT = 5353;
const SCRIPT =
  '#!/bin/sh\n[ "$1" = bound ] && { echo "ip=$ip"; echo "boot_file=$boot_file$bootfile"; echo "hostname=$hostname"; }; exit 0\n';

describe.skipIf(!hasPrograms('/usr/sbin/dnsmasq', '/usr/bin/dig', '/usr/bin/busybox'))(
  'dnsmasq',
  () => {
    let database: TestDatabase;
    let cable: Cable;
    let folder: string;
    let script: string;
    let ranges: Readonly<Record<string, number>>;
    let serverId: number;

    const dig = async (...question: string[]) =>
      (
        await cable.inServer(
          'dig',
          '+short',
          '+time=1',
          '+tries=1',
          '-p',
          String(PORT),
          '@127.0.0.1',
          ...question,
        )
      )
        .trim()
        .split('\n')
        .filter((line) => line !== '');
    const driver = () =>
      dnsmasqDriver({ folder, dnsPort: PORT, lookUp: (name) => dig(name, 'AAAA') });
    const feed = () => feedServer(database.db, { serverId, driver: driver() });
    const give = (nodeId: number, hint?: string) =>
      transaction(database.db, (tx) =>
        allocateAddress(tx, {
          nodeId,
          rangeId: ranges['host'] ?? 0,
          ...(hint !== undefined && { hint }),
        }),
      );

    beforeAll(async () => {
      database = await createTestDatabase();
      cable = await layCable('192.168.77.1/24');
      folder = mkdtempSync(join(tmpdir(), 'hostwright-dnsmasq-'));
      script = join(folder, 'client.sh');
      writeFileSync(script, SCRIPT);
      chmodSync(script, 0o755);
      ranges = await addNetwork(database, ADMIN_NETWORK);
      await startDnsmasq(
        {
          folder,
          interfaces: [cable.serverLink],
          dnsPort: PORT,
          bootUrl: 'http://192.168.77.1:8080',
          domain: 'lab.test',
          pools: [{ first: '192.168.77.10', last: '192.168.77.250', netmask: '255.255.255.0' }],
        },
        ['ip', 'netns', 'exec', cable.server],
      );
      serverId = await registerBootServer(database.db, {
        name: 'dnsmasq-1',
        kind: 'dnsmasq',
        folder,
      });
    });
    afterAll(async () => {
      await stopDnsmasq(folder);
      cable.remove();
      rmSync(folder, { recursive: true });
      await database.close();
    });

    test('a node gets its own address, its names and a loader, and keeps them when it changes with a lease held', async () => {
      const nodeId = await addNode(database, {
        name: 'web1',
        macs: [mac(1), mac(2)],
        bootenv: 'discovery',
      });
      await give(nodeId, '192.168.77.42');
      expect(await feed()).toMatchObject({ applied: 1, refused: [] });
      expect(missingAcks(await readAcks(database.db, nodeId))).toEqual([]);
      expect(await leaseFor(cable, mac(1), script)).toMatchObject({
        ip: '192.168.77.42',
        boot_file: 'undionly.kpxe',
        hostname: 'web1',
      });
      expect(await dig('web1.lab.test')).toEqual(['192.168.77.42']);
      expect(await dig('-x', '192.168.77.42')).toEqual(['web1.lab.test.']);
      await database.db
        .updateTable('node')
        .set({ bootenv: 'local' })
        .where('id', '=', nodeId)
        .execute();
      expect(missingAcks(await readAcks(database.db, nodeId))).toHaveLength(1);
      await feed();
      expect(missingAcks(await readAcks(database.db, nodeId))).toEqual([]);
      expect(await leaseFor(cable, mac(1), script)).toMatchObject({
        ip: '192.168.77.42',
        boot_file: 'undionly.kpxe',
      });
    });

    test('a changed address and a removed node are in effect when the version is acknowledged', async () => {
      const nodeId = await addNode(database, {
        name: 'web2',
        macs: [mac(3)],
        bootenv: 'discovery',
      });
      await give(nodeId, '192.168.77.50');
      await feed();
      expect(await dig('web2.lab.test')).toEqual(['192.168.77.50']);
      await transaction(database.db, (tx) => releaseAddresses(tx, { nodeId }));
      await give(nodeId, '192.168.77.51');
      await feed();
      expect(await dig('web2.lab.test')).toEqual(['192.168.77.51']);
      expect(await leaseFor(cable, mac(3), script)).toMatchObject({ ip: '192.168.77.51' });
      // dnsmasq names held leases itself until they end, so the removed node is one that holds none
      const removed = await addNode(database, { name: 'web3', macs: [mac(9)] });
      await give(removed, '192.168.77.52');
      await feed();
      expect(await dig('web3.lab.test')).toEqual(['192.168.77.52']);
      await database.db
        .updateTable('node')
        .set({ deleted_at: new Date() })
        .where('id', '=', removed)
        .execute();
      await feed();
      expect(await dig('web3.lab.test')).toEqual([]);
      expect(readdirSync(join(folder, 'hosts.d'))).not.toContain(`node-${removed}`);
    });

    test('B11: a node whose data cannot be served spoils no other, and its error names it', async () => {
      await database.db
        .insertInto('name_filter')
        .values({
          name: 'bad',
          priority: 900,
          matcher: JSON.stringify({ 'node.deployment': 'system' }),
          template: '{{node.nope}}',
        })
        .execute();
      const good = await addNode(database, { name: 'good', macs: [mac(4)] });
      const bad = await addNode(database, {
        name: 'bad',
        macs: ['not a mac\naddress=/evil/1.2.3.4'],
      });
      await give(good);
      await give(bad);
      await feed();
      const acks = await readAcks(database.db, bad);
      expect(acks[0]?.error).toContain('a MAC of the node is not valid');
      expect(await dig('good.lab.test')).toHaveLength(1);
      expect(await dig('x.evil')).toEqual([]);
      await database.db.deleteFrom('name_filter').where('name', '=', 'bad').execute();
    });

    test('a name by role comes and goes with the role', async () => {
      const { db } = database;
      await db
        .insertInto('name_filter')
        .values({
          name: 'by-role',
          priority: 901,
          matcher: JSON.stringify({ 'node.role': 'step-1' }),
          template: 'cache-{{node.name}}',
        })
        .execute();
      const nodeId = await addNode(database, { name: 'roled', macs: [mac(12)] });
      await give(nodeId, '192.168.77.53');
      await feed();
      expect(await dig('cache-roled.lab.test')).toEqual([]);
      await bindRole(database, nodeId, 'step-1');
      await feed();
      expect(await dig('cache-roled.lab.test')).toEqual(['192.168.77.53']);
      await db.deleteFrom('noderole').where('node_id', '=', nodeId).execute();
      await feed();
      expect(await dig('cache-roled.lab.test')).toEqual([]);
      await db.deleteFrom('name_filter').where('name', '=', 'by-role').execute();
    });

    test('A6: with two servers a node is ready only when both have its version', async () => {
      const nodeId = await addNode(database, { name: 'two', macs: [mac(5)] });
      const second = await registerBootServer(database.db, { name: 'dnsmasq-2', kind: 'dnsmasq' });
      await feed();
      expect(missingAcks(await readAcks(database.db, nodeId)).map((ack) => ack.server)).toEqual([
        'dnsmasq-2',
      ]);
      await database.db
        .updateTable('boot_server')
        .set({ active: false })
        .where('id', '=', second)
        .execute();
      expect(missingAcks(await readAcks(database.db, nodeId))).toEqual([]);
    });

    test('B17: leases go on while hundreds of nodes change', async () => {
      const ids: number[] = [];
      for (let index = 0; index < 60; index++)
        ids.push(
          await addNode(database, {
            name: `burst-${index}`,
            macs: [mac(5000 + index)],
            bootenv: 'discovery',
          }),
        );
      const leases = (async () => leaseFor(cable, mac(1), script))();
      for (const id of ids) await give(id);
      const report = await feed();
      expect(report.applied).toBe(60);
      expect(await leases).toMatchObject({ ip: '192.168.77.42' });
    });

    test('a daemon that is gone is an error of the server, and nothing is acknowledged', async () => {
      const nodeId = await addNode(database, { name: 'gone', macs: [mac(6)] });
      await stopDnsmasq(folder);
      await expect(feed()).rejects.toThrow(/not running/);
      const acks = await readAcks(database.db, nodeId);
      expect(missingAcks(acks)).toHaveLength(1);
      expect(acks[0]?.error).toContain('not running');
    });
  },
);
