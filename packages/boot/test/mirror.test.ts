/** The package cache, used by the real apt against a repository made with Debian's own tools. */
import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { putSetting } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listenForLoaders, type BootDeps, type BootListener } from '../src/index.ts';
import { bootDeps } from './fixtures.ts';

let database: TestDatabase;
let deps: BootDeps;
let listener: BootListener;
let upstream: Server;
let asked: string[] = [];
let cut = false;
const home = mkdtempSync(join(tmpdir(), 'hostwright-mirror-'));
const repository = join(home, 'repository');

const close = () => new Promise((resolve) => upstream.close(resolve));
const mirror = () => `http://127.0.0.1:${listener.port}/boot/v1/mirror/debian`;

beforeAll(async () => {
  mkdirSync(repository);
  database = await createTestDatabase();
  deps = bootDeps(database);
  listener = await listenForLoaders(deps, { host: '127.0.0.1', port: 0 });
  upstream = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://x').pathname);
    asked.push(path);
    const file = join(repository, path);
    const body = existsSync(file) ? readFileSync(file) : null;
    const etag = `"${body?.length}"`;
    if (body === null) response.writeHead(404).end();
    else if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else {
      response.writeHead(200, { etag, 'content-length': body.length });
      if (cut) response.write(body.subarray(0, body.length / 2), () => response.destroy());
      else response.end(body);
    }
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  await putSetting(database.db, {
    key: 'boot',
    value: { mirrors: { debian: `http://127.0.0.1:${port}` } },
  });
});
afterAll(async () => {
  await listener.close();
  if (upstream.listening) await close();
  await database.close();
  rmSync(home, { recursive: true, force: true });
});

test('a broken download is not kept, the next one is whole, and then it is asked for no more', async () => {
  mkdirSync(join(repository, 'pool'), { recursive: true });
  writeFileSync(join(repository, 'pool/big_1.0~rc1+b2_all.deb'), Buffer.alloc(100_000, 7));
  const url = `${mirror()}/pool/big_1.0~rc1+b2_all.deb`;
  cut = true;
  expect((await fetch(url)).status).toBe(503);
  cut = false;
  const whole = await fetch(url);
  expect((await whole.arrayBuffer()).byteLength).toBe(100_000);
  asked = [];
  const part = await fetch(url, { headers: { range: 'bytes=99990-' } });
  expect(part.status).toBe(206);
  expect((await part.arrayBuffer()).byteLength).toBe(10);
  expect(asked).toEqual([]);
  expect(readdirSync(join(deps.files.folder, '.mirror/.incoming'))).toEqual([]);
});

test('a file that is not what its by-hash name says is refused', async () => {
  const name = `dists/x/by-hash/SHA256/${'a'.repeat(64)}`;
  mkdirSync(join(repository, 'dists/x/by-hash/SHA256'), { recursive: true });
  writeFileSync(join(repository, name), 'something else');
  expect((await fetch(`${mirror()}/${name}`)).status).toBe(503);
});

test('only mirrors that the operator named, and nothing outside of them', async () => {
  const base = `http://127.0.0.1:${listener.port}/boot/v1/mirror`;
  for (const path of [
    'other/x',
    'debian/..%2f..%2fetc/passwd',
    'debian/.incoming/x',
    'debian/a//b',
    'debian/%00',
  ])
    expect((await fetch(`${base}/${path}`)).status).toBe(404);
});

const TOOLS = ['/usr/bin/apt-get', '/usr/bin/dpkg-deb', '/usr/bin/apt-ftparchive'];
describe.skipIf(!TOOLS.every((file) => existsSync(file)))('apt', () => {
  // the servers are in this process: nothing here may hold it up
  const apt = async (folder: string, ...words: string[]) => {
    for (const name of ['lists/partial', 'archives/partial', 'etc', 'download'])
      mkdirSync(join(home, folder, name), { recursive: true });
    const at = (name: string) => join(home, folder, name);
    writeFileSync(at('etc/sources.list'), `deb [trusted=yes] ${mirror()} test main\n`);
    const options = {
      'Dir::Etc::sourcelist': at('etc/sources.list'),
      'Dir::Etc::sourceparts': '/dev/null',
      'Dir::Etc::parts': '/dev/null',
      'Dir::State::lists': at('lists'),
      'Dir::State::status': '/dev/null',
      'Dir::Cache': at(''),
      'Dir::Cache::archives': at('archives'),
      'APT::Sandbox::User': 'root',
      'APT::Architecture': 'amd64',
      'Acquire::Languages': 'none',
      'Acquire::http::Proxy': 'false',
      'Acquire::Retries': '0',
    };
    const flags = Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
    return promisify(execFile)('apt-get', [...flags, '-qq', ...words], {
      cwd: at('download'),
      env: { ...process.env, APT_CONFIG: '/dev/null' },
    });
  };

  test('installs from it, and a second machine does so with the mirror away', async () => {
    const build = join(home, 'build');
    mkdirSync(join(build, 'DEBIAN'), { recursive: true });
    mkdirSync(join(build, 'usr/share/hello'), { recursive: true });
    writeFileSync(
      join(build, 'DEBIAN/control'),
      'Package: hello-rack\nVersion: 1.0\nArchitecture: all\nMaintainer: Test <test@example.org>\nDescription: for a test\n',
    );
    writeFileSync(join(build, 'usr/share/hello/text'), 'hello\n');
    execFileSync(
      'dpkg-deb',
      ['--root-owner-group', '-b', build, join(repository, 'pool/hello-rack_1.0_all.deb')],
      {
        stdio: 'ignore',
      },
    );
    const dist = join(repository, 'dists/test');
    mkdirSync(join(dist, 'main/binary-amd64'), { recursive: true });
    rmSync(join(repository, 'pool/big_1.0~rc1+b2_all.deb'), { force: true });
    const make = (...args: string[]) => execFileSync('apt-ftparchive', args, { cwd: repository });
    writeFileSync(join(dist, 'main/binary-amd64/Packages'), make('packages', 'pool'));
    const about = ['Suite=test', 'Components=main', 'Architectures=amd64'];
    const flags = about.flatMap((one) => ['-o', `APT::FTPArchive::Release::${one}`]);
    const release = make(...flags, 'release', 'dists/test');
    writeFileSync(join(dist, 'Release'), release);

    await apt('first', 'update');
    await apt('first', 'download', 'hello-rack');
    expect(existsSync(join(home, 'first/download/hello-rack_1.0_all.deb'))).toBe(true);
    expect(asked).toContain('/pool/hello-rack_1.0_all.deb');
    await close();
    await apt('second', 'update');
    await apt('second', 'download', 'hello-rack');
    const fetched = join(home, 'second/download/hello-rack_1.0_all.deb');
    expect(execFileSync('dpkg-deb', ['-f', fetched, 'Package'], { encoding: 'utf8' })).toBe(
      'hello-rack\n',
    );
  });
});
