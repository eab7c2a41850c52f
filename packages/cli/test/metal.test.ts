import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSite, type Site } from '../../simulator/test/site.ts';
import { readRange } from '../src/network-fields.ts';
import { hostwright, type Ended } from './hostwright.ts';

let site: Site;
const folder = mkdtempSync(join(tmpdir(), 'hostwright-metal-'));
let env: Record<string, string>;

const ask = (...args: string[]): Promise<Ended> => hostwright(args, env);

beforeAll(async () => {
  site = await createSite();
  writeFileSync(join(folder, 'ca.pem'), site.ca);
  env = {
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    HOSTWRIGHT_URL: site.url,
    HOSTWRIGHT_TOKEN: site.apiToken,
    HOSTWRIGHT_CA: join(folder, 'ca.pem'),
  };
});
afterAll(async () => {
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

test('what is no whole number is refused in words', async () => {
  const half = await ask('boot', 'list', '--limit', '2.5');
  expect(half.code).toBe(2);
  expect(half.err).toContain('--limit takes a whole number of at least 1, not 2.5');
  expect((await ask('boot', 'show', 'abc')).err).toContain('an id is a whole number');
});

test('a range is read from one word, and what is none is named', () => {
  expect(readRange('pool=dhcp:10.1.3.5-10.1.3.9/20')).toEqual({
    name: 'pool',
    kind: 'dhcp',
    first: '10.1.3.5',
    last: '10.1.3.9',
    subnet: '10.1.3.5/20',
  });
  expect(() => readRange('10.1.3.5-10.1.3.9')).toThrow('is no range');
});

test('a network, an address for a node, its release and its boots, by commands alone', async () => {
  const range = 'host:10.7.0.10-10.7.0.99/24';
  const create = `network create admin --category admin --domain lab.test --range ${range}`;
  const made = await ask(...create.split(' '), '--router', '10.7.0.1');
  expect(made.code, made.err).toBe(0);
  expect(made.out).toContain('with 1 range\n');
  const back = await ask('network', 'create', 'back', '--range', 'host:10.8.0.9-10.8.0.3/24');
  expect(back.err).toContain('range host: its last address 10.8.0.3 comes before its first');
  expect((await ask('network', 'release', 'abc')).err).toContain('abc is no address');
  const set = await ask('network', 'set', 'admin', '--vlan', '7', '--bridge');
  expect(set.code, set.err).toBe(0);
  await ask('node', 'create', 'm1', '--mac', '52:54:00:00:07:01');
  const given = await ask('network', 'allocate', 'admin', 'm1', '--address', '10.7.0.50');
  expect(given.out).toBe('m1 gets 10.7.0.50 in admin (hint)\n');
  expect((await ask('network', 'addresses')).out).toContain('m1.lab.test');
  const refused = await ask('network', 'delete', 'admin');
  expect(refused.code).toBe(6);
  expect(refused.err).toContain('an address of range host is held');
  expect((await ask('network', 'release', '10.7.0.50', '--now')).out).toBe('10.7.0.50 is free\n');
  expect((await ask('network', 'show', 'admin')).out).toMatch(/vlan +7/);

  expect((await ask('boot', 'once', 'm1', 'local')).out).toContain('next boot of m1 is local');
  const installer = await ask('boot', 'once', 'm1', 'nothing-install');
  expect(installer.code).not.toBe(0);
  expect((await ask('node', 'boots', 'm1')).out).toBe('no boots are recorded\n');
  expect((await ask('boot', 'environments')).out).toContain('discovery/vmlinuz');
});

test('a BMC is given to a node, seen and taken away, and its password is no argument', async () => {
  await ask('node', 'create', 'm2', '--mac', '52:54:00:00:07:02');
  const give = 'node hammer m2 ipmi --endpoint 10.7.1.2:623 --user admin --secret'.split(' ');
  const unknown = await ask(...give, 'bmc/m2');
  expect(unknown.code).toBe(5);
  expect(unknown.err).toContain('there is no secret bmc/m2');
  await hostwright(['secret', 'set', 'bmc/m2'], env, 'tiger');
  const given = await ask(...give, 'bmc/m2');
  expect(given.out, given.err).toContain('m2 has the hammer ipmi at 10.7.1.2:623');
  expect((await ask('node', 'hammers', 'm2')).out).toMatch(/ipmi +10\.7\.1\.2:623 +admin +bmc\/m2/);
  expect((await ask('node', 'hammer', 'm2', 'impi', '--endpoint', 'x')).err).toContain(
    'one of ipmi, redfish, ssh, not impi',
  );
  expect((await ask('node', 'hammer', 'm2', 'ipmi')).code).toBe(2);
  await ask('node', 'hammer', 'm2', 'ipmi', '--remove');
  expect((await ask('node', 'hammers', 'm2')).out).toContain('no hammer');
});

test('an image is taken in from a file or an address, refused if it is another, and removed', async () => {
  const image = join(folder, 'web.tar.gz');
  writeFileSync(image, 'an image');
  const sum = createHash('sha256').update('an image').digest('hex');
  const added = await ask('boot', 'add', 'images/web.tar.gz', image);
  expect(added.out, added.err).toBe(`images/web.tar.gz is served (0.0 MB)\n  sha256 ${sum}\n`);
  expect((await ask('boot', 'files')).out).toContain(sum);
  const other = await ask('boot', 'add', 'images/web.tar.gz', image, '--sha256', 'a'.repeat(64));
  expect(other.code).toBe(6);
  expect(other.err).toContain(`has checksum ${sum}`);
  expect((await ask('boot', 'add', 'images/x.tar', join(folder, 'nothing'))).err).toContain(
    'there is no file',
  );

  const elsewhere = createServer((_, response) => response.end('a kernel'));
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  const { port } = elsewhere.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/linux`;
  expect((await ask('boot', 'add', 'debian-13/linux', url)).err).toContain('give --sha256');
  const kernel = createHash('sha256').update('a kernel').digest('hex');
  const fetched = await ask('boot', 'add', 'debian-13/linux', url, '--sha256', kernel, '--json');
  expect(JSON.parse(fetched.out)).toMatchObject({ path: 'debian-13/linux', size: 8 });
  elsewhere.close();

  await ask('boot', 'add', 'discovery/vmlinuz', image);
  expect((await ask('boot', 'remove', 'discovery/vmlinuz')).err).toContain(
    'no machine is discovered',
  );
  expect((await ask('boot', 'remove', 'images/web.tar.gz')).out).toContain('not served any more');
  expect((await ask('boot', 'files')).out).not.toContain('images/web.tar.gz');
});
