import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transaction } from '@hostwright/engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  dnsmasqDriver,
  feedServer,
  findDnsmasq,
  missingAcks,
  readAcks,
  refusedAcks,
  registerBootServer,
  releaseAddresses,
  startDnsmasq,
  stopDnsmasq,
} from '../src/index.ts';
import { hostShard } from '../src/dnsmasq/shard.ts';
import type { BootServerDriver } from '../src/feed/feed-server.ts';
import { openDhcpSite, type DhcpSite } from './dhcp-site.ts';
import { addNode, bindRole, mac } from './fixtures.ts';
import { DNS_PORT, hasPrograms } from './netns.ts';

describe.skipIf(!hasPrograms('/usr/sbin/dnsmasq', '/usr/bin/dig', '/usr/bin/busybox'))(
  'dnsmasq',
  () => {
    let site: DhcpSite;
    let serverId: number;

    const driver = () => site.dnsmasqDriver();
    const feed = () => site.feedDnsmasq(serverId);

    beforeAll(async () => {
      site = await openDhcpSite();
      const { database, folder } = site;
      const pool = { first: '192.168.77.10', last: '192.168.77.250', netmask: '255.255.255.0' };
      await startDnsmasq(site.dnsmasq({ pools: [pool] }), site.within);
      serverId = await registerBootServer(database.db, {
        name: 'dnsmasq-1',
        kind: 'dnsmasq',
        folder,
      });
    });
    afterAll(async () => {
      await stopDnsmasq(site.folder);
      await site.close();
    });

    test('a node gets its own address, its names and a loader, and keeps them when it changes with a lease held', async () => {
      const nodeId = await addNode(site.database, {
        name: 'web1',
        macs: [mac(1), mac(2)],
        bootenv: 'discovery',
      });
      await site.give(nodeId, '192.168.77.42');
      expect(await feed()).toMatchObject({ applied: 1, refused: [] });
      expect(missingAcks(await readAcks(site.database.db, nodeId))).toEqual([]);
      expect(await site.lease(mac(1))).toMatchObject({
        ip: '192.168.77.42',
        boot_file: 'undionly.kpxe',
        hostname: 'web1',
      });
      expect(await site.dig('web1.lab.test')).toEqual(['192.168.77.42']);
      expect(await site.dig('-x', '192.168.77.42')).toEqual(['web1.lab.test.']);
      await site.database.db
        .updateTable('node')
        .set({ bootenv: 'local' })
        .where('id', '=', nodeId)
        .execute();
      expect(missingAcks(await readAcks(site.database.db, nodeId))).toHaveLength(1);
      await feed();
      expect(missingAcks(await readAcks(site.database.db, nodeId))).toEqual([]);
      expect(await site.lease(mac(1))).toMatchObject({
        ip: '192.168.77.42',
        boot_file: 'undionly.kpxe',
      });
    });

    test('a change of which dnsmasq needs to know nothing makes it read nothing', async () => {
      const nodeId = await addNode(site.database, { name: 'quiet', macs: [mac(7)] });
      await site.give(nodeId, '192.168.77.70');
      await feed();
      const taken = () => readFileSync(join(site.folder, 'names/taken/version'), 'utf8');
      const before = taken();
      await site.database.db
        .updateTable('node')
        .set({ bootenv: 'discovery' })
        .where('id', '=', nodeId)
        .execute();
      expect(await feed()).toMatchObject({ applied: 1, refused: [] });
      expect(missingAcks(await readAcks(site.database.db, nodeId))).toEqual([]);
      expect(taken()).toBe(before);
    });

    test('what dnsmasq did not answer for is not taken for held when it is tried again', async () => {
      const nodeId = await addNode(site.database, { name: 'asleep', macs: [mac(8)] });
      await site.give(nodeId, '192.168.77.71');
      await feed();
      const pid = (await findDnsmasq(site.folder)) ?? 0;
      const hurried = dnsmasqDriver({
        folder: site.folder,
        dnsPort: DNS_PORT,
        lookUp: () => Promise.reject(new Error('no answer')),
        timeoutSeconds: 0,
      });
      process.kill(pid, 'SIGSTOP');
      try {
        await site.database.db
          .updateTable('node')
          .set({ name: 'awake' })
          .where('id', '=', nodeId)
          .execute();
        for (let again = 0; again < 2; again++) {
          await expect(feedServer(site.database.db, { serverId, driver: hurried })).rejects.toThrow(
            /dnsmasq did not take version/,
          );
          expect(missingAcks(await readAcks(site.database.db, nodeId))).toHaveLength(1);
        }
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      expect(await feed()).toMatchObject({ applied: 1, refused: [] });
      expect(await site.dig('awake.lab.test')).toEqual(['192.168.77.71']);
      expect(await site.dig('asleep.lab.test')).toEqual([]);
    });

    test('a changed address and a removed node are in effect when the version is acknowledged', async () => {
      const nodeId = await addNode(site.database, {
        name: 'web2',
        macs: [mac(3)],
        bootenv: 'discovery',
      });
      await site.give(nodeId, '192.168.77.50');
      await feed();
      expect(await site.dig('web2.lab.test')).toEqual(['192.168.77.50']);
      await transaction(site.database.db, (tx) => releaseAddresses(tx, { nodeId }));
      await site.give(nodeId, '192.168.77.51');
      await feed();
      expect(await site.dig('web2.lab.test')).toEqual(['192.168.77.51']);
      expect(await site.lease(mac(3))).toMatchObject({ ip: '192.168.77.51' });
      // dnsmasq names held leases itself until they end, so the removed node is one that holds none
      const removed = await addNode(site.database, { name: 'web3', macs: [mac(9)] });
      await site.give(removed, '192.168.77.52');
      await feed();
      expect(await site.dig('web3.lab.test')).toEqual(['192.168.77.52']);
      await site.database.db
        .updateTable('node')
        .set({ deleted_at: new Date() })
        .where('id', '=', removed)
        .execute();
      await feed();
      expect(await site.dig('web3.lab.test')).toEqual([]);
      expect(readdirSync(join(site.folder, 'hosts.d'))).not.toContain(`node-${removed}`);
    });

    test('B11: a node whose data cannot be served spoils no other, and its error names it', async () => {
      await site.database.db
        .insertInto('name_filter')
        .values({
          name: 'bad',
          priority: 900,
          matcher: JSON.stringify({ 'node.deployment': 'system' }),
          template: '{{node.nope}}',
        })
        .execute();
      const good = await addNode(site.database, { name: 'good', macs: [mac(4)] });
      const bad = await addNode(site.database, {
        name: 'bad',
        macs: ['not a mac\naddress=/evil/1.2.3.4'],
      });
      await site.give(good);
      await site.give(bad);
      await feed();
      const acks = await readAcks(site.database.db, bad);
      expect(acks[0]?.error).toContain('a MAC of the node is not valid');
      expect(await site.dig('good.lab.test')).toHaveLength(1);
      expect(await site.dig('x.evil')).toEqual([]);
      await site.database.db.deleteFrom('name_filter').where('name', '=', 'bad').execute();
    });

    test('a line that dnsmasq refused is refused again until it takes it, though a worker died with the answer and nothing of it changed', async () => {
      const other = await addNode(site.database, { name: 'other', macs: [mac(7)] });
      await feed();
      const nodeId = await addNode(site.database, { name: 'late', macs: [mac(5)] });
      await site.give(nodeId, '192.168.77.60');
      // a line of nobody: another card has the address. It is read with all the rest, because of a card that is gone
      const shard = join(site.folder, 'hosts.base', hostShard(nodeId));
      const old = readFileSync(shard, { encoding: 'utf8', flag: 'a+' });
      writeFileSync(shard, `# node 0\n${mac(6)},192.168.77.60\n${old}`);
      const { db } = site.database;
      await db
        .updateTable('node')
        .set({ macs: [mac(8)] })
        .where('id', '=', other)
        .execute();
      const refused = async () => refusedAcks(await readAcks(db, nodeId)).map((ack) => ack.refused);
      const boots = (bootenv: string) =>
        db.updateTable('node').set({ bootenv }).where('id', '=', nodeId).execute();
      const killed: BootServerDriver = {
        ...driver(),
        apply: async (...given) => {
          const said = (await driver().apply(...given)).map((one) => one.error ?? 'it was taken');
          throw new Error(`killed with: ${said.join(', ')}`);
        },
      };
      await expect(feedServer(db, { serverId, driver: killed })).rejects.toThrow(
        /^killed with: .*duplicate dhcp-host/,
      );
      await feed();
      expect(await refused()).toEqual([expect.stringContaining('duplicate dhcp-host')]);
      // known by now: others do not pay for it
      const beside = await addNode(site.database, { name: 'beside', macs: [mac(10)] });
      await site.give(beside);
      await feed();
      const { evidence } = await db
        .selectFrom('boot_ack')
        .select('evidence')
        .where('node_id', '=', beside)
        .executeTakeFirstOrThrow();
      expect(evidence).toContain('after reading the changed files');
      await boots('discovery');
      expect(await refused()).toEqual([]);
      await feed();
      expect(await refused()).toEqual([expect.stringContaining('duplicate dhcp-host')]);
      writeFileSync(shard, readFileSync(shard, 'utf8').replace(/# node 0\n.*\n/, ''));
      await boots('local');
      await feed();
      expect(await refused()).toEqual([]);
      expect(await site.lease(mac(5))).toMatchObject({ ip: '192.168.77.60' });
    });

    test('a name by role comes and goes with the role', async () => {
      const { db } = site.database;
      await db
        .insertInto('name_filter')
        .values({
          name: 'by-role',
          priority: 901,
          matcher: JSON.stringify({ 'node.role': 'step-1' }),
          template: 'cache-{{node.name}}',
        })
        .execute();
      const nodeId = await addNode(site.database, { name: 'roled', macs: [mac(12)] });
      await site.give(nodeId, '192.168.77.53');
      await feed();
      expect(await site.dig('cache-roled.lab.test')).toEqual([]);
      await bindRole(site.database, nodeId, 'step-1');
      await feed();
      expect(await site.dig('cache-roled.lab.test')).toEqual(['192.168.77.53']);
      await db.deleteFrom('noderole').where('node_id', '=', nodeId).execute();
      await feed();
      expect(await site.dig('cache-roled.lab.test')).toEqual([]);
      await db.deleteFrom('name_filter').where('name', '=', 'by-role').execute();
    });

    test('A6: with two servers a node is ready only when both have its version', async () => {
      const nodeId = await addNode(site.database, { name: 'two', macs: [mac(5)] });
      const second = await registerBootServer(site.database.db, {
        name: 'dnsmasq-2',
        kind: 'dnsmasq',
      });
      await feed();
      expect(
        missingAcks(await readAcks(site.database.db, nodeId)).map((ack) => ack.server),
      ).toEqual(['dnsmasq-2']);
      await site.database.db
        .updateTable('boot_server')
        .set({ active: false })
        .where('id', '=', second)
        .execute();
      expect(missingAcks(await readAcks(site.database.db, nodeId))).toEqual([]);
    });

    test('B17: leases go on while hundreds of nodes change', async () => {
      const ids: number[] = [];
      for (let index = 0; index < 60; index++)
        ids.push(
          await addNode(site.database, {
            name: `burst-${index}`,
            macs: [mac(5000 + index)],
            bootenv: 'discovery',
          }),
        );
      const leases = (async () => site.lease(mac(1)))();
      for (const id of ids) await site.give(id);
      const report = await feed();
      expect(report.applied).toBe(60);
      expect(await leases).toMatchObject({ ip: '192.168.77.42' });
    });

    test('a daemon that is gone is an error of the server, and nothing is acknowledged', async () => {
      const nodeId = await addNode(site.database, { name: 'gone', macs: [mac(6)] });
      await stopDnsmasq(site.folder);
      await expect(feed()).rejects.toThrow(/not running/);
      const acks = await readAcks(site.database.db, nodeId);
      expect(missingAcks(acks)).toHaveLength(1);
      expect(acks[0]?.error).toContain('not running');
    });
  },
);
