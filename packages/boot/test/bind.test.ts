import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { Resolver } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transaction } from '@hostwright/engine';
import { createTestDatabase, eventually, type TestDatabase } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  allocateAddress,
  bindDriver,
  feedServer,
  missingAcks,
  readAcks,
  registerBootServer,
  releaseAddresses,
  type TsigKey,
} from '../src/index.ts';
import { reverseName, zoneOf } from '../src/bind/records.ts';
import { sshfpOf } from '../src/bind/sshfp.ts';
import { reverseZones } from '../src/bind/zones.ts';
import { addNetwork, addNode, ADMIN_NETWORK } from './fixtures.ts';

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        resolve(typeof address === 'object' && address !== null ? address.port : 0),
      );
    });
  });

test('a name goes to the longest of our zones, and others are left alone', () => {
  expect(zoneOf('a.b.lab.test', ['lab.test', 'b.lab.test'])).toBe('b.lab.test');
  expect(zoneOf('a.notlab.test', ['lab.test'])).toBeNull();
  expect(reverseName('192.168.77.5')).toBe('5.77.168.192.in-addr.arpa');
  expect(reverseName('fd77::5')).toMatch(/^5\.0\.0.*7\.7\.d\.f\.ip6\.arpa$/);
});

const PRESENT = ['/usr/sbin/named'].every((path) => existsSync(path));

test('reverse zones cover exactly the subnets, in few zones', () => {
  expect(reverseZones('192.168.77.0/24')).toEqual(['77.168.192.in-addr.arpa']);
  expect(reverseZones('192.168.77.128/25')).toEqual(['77.168.192.in-addr.arpa']);
  expect(reverseZones('10.50.0.0/16')).toEqual(['50.10.in-addr.arpa']);
  expect(reverseZones('10.50.4.0/23')).toEqual(['4.50.10.in-addr.arpa', '5.50.10.in-addr.arpa']);
  expect(reverseZones('10.50.0.0/17')).toEqual(['50.10.in-addr.arpa']);
  expect(reverseZones('fd77::/64')).toEqual(['0.0.0.0.0.0.0.0.0.0.0.0.7.7.d.f.ip6.arpa']);
  expect(reverseZones('nonsense')).toEqual([]);
});

test('an SSHFP record is made of a real host key only', () => {
  const body = Buffer.concat([
    Buffer.from([0, 0, 0, 11]),
    Buffer.from('ssh-ed25519'),
    Buffer.from([0, 0, 0, 32]),
    Buffer.alloc(32, 7),
  ]).toString('base64');
  expect(sshfpOf(`ssh-ed25519 ${body} root@host`)).toMatch(/^4 2 [0-9a-f]{64}$/);
  for (const key of [
    '',
    'ssh-ed25519',
    `ssh-rsa ${body}`,
    'ssh-ed25519 $(reboot)',
    `ssh-dss ${body}`,
    `ssh-ed25519 ${'A'.repeat(9000)}`,
  ])
    expect(sshfpOf(key)).toBeNull();
});

describe.skipIf(!PRESENT)('BIND', () => {
  let database: TestDatabase;
  let folder: string;
  let named: ChildProcess;
  let port: number;
  let ranges: Readonly<Record<string, number>>;
  let serverId: number;
  const key: TsigKey = {
    name: 'hostwright',
    algorithm: 'hmac-sha256',
    secret: Buffer.alloc(32, 5).toString('base64'),
  };
  const zone = (name: string) =>
    `$TTL 300\n@ IN SOA ns.${name}. root.${name}. 1 3600 600 86400 300\n  IN NS ns.lab.test.\n`;

  const driver = (over: Partial<TsigKey> = {}) =>
    bindDriver({
      folder: join(folder, 'feed'),
      server: '127.0.0.1',
      port,
      zones: ['lab.test', '77.168.192.in-addr.arpa'],
      key: { ...key, ...over },
    });
  const feed = () => feedServer(database.db, { serverId, driver: driver() });
  const ask = async (name: string, type: 'A' | 'PTR' = 'A') => {
    const resolver = new Resolver({ timeout: 1000, tries: 2 });
    resolver.setServers([`127.0.0.1:${port}`]);
    return resolver.resolve(name, type).catch(() => []);
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    ranges = await addNetwork(database, ADMIN_NETWORK);
    folder = mkdtempSync(join(tmpdir(), 'hostwright-bind-'));
    port = await freePort();
    writeFileSync(join(folder, 'lab.zone'), `${zone('lab.test')}ns IN A 127.0.0.1\n`);
    writeFileSync(join(folder, 'reverse.zone'), zone('77.168.192.in-addr.arpa'));
    writeFileSync(
      join(folder, 'named.conf'),
      `key "hostwright" { algorithm hmac-sha256; secret "${key.secret}"; };
options { directory "${folder}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; pid-file "${folder}/pid"; session-keyfile "${folder}/session.key"; dnssec-validation no; };
controls { };
zone "lab.test" { type master; file "lab.zone"; update-policy { grant hostwright zonesub ANY; }; };
zone "77.168.192.in-addr.arpa" { type master; file "reverse.zone"; update-policy { grant hostwright zonesub ANY; }; };
`,
    );
    named = spawn('named', ['-g', '-c', join(folder, 'named.conf')], { stdio: 'ignore' });
    await eventually(async () => (await ask('ns.lab.test')).length > 0, { what: 'named' });
    serverId = await registerBootServer(database.db, { name: 'bind', kind: 'bind' });
  });
  afterAll(async () => {
    named.kill('SIGKILL');
    rmSync(folder, { recursive: true });
    await database.close();
  });

  test('names and reverse names follow an address, and go with the node', async () => {
    const nodeId = await addNode(database, { name: 'web1' });
    const give = (hint: string) =>
      transaction(database.db, (tx) =>
        allocateAddress(tx, { nodeId, rangeId: ranges['host'] ?? 0, hint }),
      );
    await give('192.168.77.20');
    await feed();
    expect(missingAcks(await readAcks(database.db, nodeId))).toEqual([]);
    expect(await ask('web1.lab.test')).toEqual(['192.168.77.20']);
    expect(await ask('20.77.168.192.in-addr.arpa', 'PTR')).toEqual(['web1.lab.test']);
    await transaction(database.db, (tx) => releaseAddresses(tx, { nodeId }));
    await give('192.168.77.21');
    await feed();
    expect(await ask('web1.lab.test')).toEqual(['192.168.77.21']);
    expect(await ask('20.77.168.192.in-addr.arpa', 'PTR')).toEqual([]);
    await database.db
      .updateTable('node')
      .set({ deleted_at: new Date() })
      .where('id', '=', nodeId)
      .execute();
    await feed();
    expect(await ask('web1.lab.test')).toEqual([]);
    expect(readdirSync(join(folder, 'feed/nodes'))).toEqual([]);
  });

  test('race C17: what is rolled back is in no zone, and a server that is away holds up nothing', async () => {
    const nodeId = await addNode(database, { name: 'web17' });
    const rangeId = ranges['host'] ?? 0;
    const undone = transaction(database.db, async (tx) => {
      await allocateAddress(tx, { nodeId, rangeId, hint: '192.168.77.30' });
      throw new Error('changed my mind');
    });
    await expect(undone).rejects.toThrow('changed my mind');
    await feed();
    expect(await ask('web17.lab.test')).toEqual([]);
    await transaction(database.db, (tx) =>
      allocateAddress(tx, { nodeId, rangeId, hint: '192.168.77.31' }),
    );
    await feed();
    expect(await ask('web17.lab.test')).toEqual(['192.168.77.31']);
    // nobody listens there: the address is given back all the same, and the zone follows later
    const away = bindDriver({
      folder: join(folder, 'feed'),
      server: '127.0.0.1',
      port: await freePort(),
      zones: ['lab.test', '77.168.192.in-addr.arpa'],
      key,
    });
    await transaction(database.db, (tx) => releaseAddresses(tx, { nodeId }));
    await expect(feedServer(database.db, { serverId, driver: away })).rejects.toThrow();
    expect(missingAcks(await readAcks(database.db, nodeId))).toHaveLength(1);
    await feed();
    expect(await ask('web17.lab.test')).toEqual([]);
    expect(missingAcks(await readAcks(database.db, nodeId))).toEqual([]);
  });

  test('a wrong key acknowledges nothing', async () => {
    const nodeId = await addNode(database, { name: 'web2' });
    await transaction(database.db, (tx) =>
      allocateAddress(tx, { nodeId, rangeId: ranges['host'] ?? 0 }),
    );
    const wrong = feedServer(database.db, {
      serverId,
      driver: driver({ secret: Buffer.alloc(32, 6).toString('base64') }),
    });
    await expect(wrong).rejects.toThrow(/refused the update/);
    expect(missingAcks(await readAcks(database.db, nodeId))).toHaveLength(1);
    await feed();
    expect(await ask('web2.lab.test')).toHaveLength(1);
  });

  test('one node that the server refuses, or whose note is cut off, keeps no other from its names', async () => {
    const elsewhere = await addNetwork(database, {
      name: 'elsewhere',
      category: 'admin',
      domain: 'elsewhere.test',
      ranges: [{ name: 'host', subnet: '10.9.0.0/24', first: '10.9.0.10', last: '10.9.0.20' }],
    });
    const give = (nodeId: number, rangeId: number) =>
      transaction(database.db, (tx) => allocateAddress(tx, { nodeId, rangeId }));
    const refused = await addNode(database, { name: 'refused' });
    await give(refused, elsewhere['host'] ?? 0);
    const cut = await addNode(database, { name: 'cut' });
    await give(cut, ranges['host'] ?? 0);
    writeFileSync(join(folder, `feed/nodes/node-${cut}`), '[{"zone":');
    const good = await addNode(database, { name: 'good' });
    await give(good, ranges['host'] ?? 0);
    const driver = bindDriver({
      folder: join(folder, 'feed'),
      server: '127.0.0.1',
      port,
      // the server has no such zone
      zones: ['lab.test', '77.168.192.in-addr.arpa', 'elsewhere.test'],
      key,
    });
    await expect(feedServer(database.db, { serverId, driver })).rejects.toThrow(
      new RegExp(
        `^node ${refused}: .*refused the update of elsewhere.test.*all others are current`,
      ),
    );
    expect(await ask('good.lab.test')).toHaveLength(1);
    expect(await ask('cut.lab.test')).toHaveLength(1);
    const behind = async (nodeId: number) =>
      missingAcks(await readAcks(database.db, nodeId)).length;
    expect([await behind(refused), await behind(cut), await behind(good)]).toEqual([1, 0, 0]);
  });
});
