/** Anybody on the boot network may ask the package cache for anything. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { putSetting } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerBootRequest, openFileStore, type BootDeps } from '../src/index.ts';
import { bootDeps } from './fixtures.ts';

let database: TestDatabase;
let deps: BootDeps;
let upstream: Server;
const files: Record<string, Buffer> = {};
const small = mkdtempSync(join(tmpdir(), 'hostwright-mirror-full-'));
const mounted =
  process.getuid?.() === 0 &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', small]).status === 0;

beforeAll(async () => {
  database = await createTestDatabase();
  deps = bootDeps(database);
  upstream = createServer((request, response) => {
    const body = files[request.url ?? ''];
    if (body === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-length': body.length }).end(body);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  // listen() on TCP gives an object
  const { port } = upstream.address() as AddressInfo;
  await putSetting(database.db, {
    key: 'boot',
    value: { mirrors: { debian: `http://127.0.0.1:${port}` } },
  });
});
afterAll(async () => {
  await new Promise((resolve) => upstream.close(resolve));
  await database.close();
  if (mounted) spawnSync('umount', [small]);
  rmSync(small, { recursive: true, force: true });
});

const get = async (path: string, from: BootDeps = deps): Promise<number> => {
  const url = `/boot/v1/mirror/${path}`;
  return (await answerBootRequest(from, { method: 'GET', url, headers: {}, body: '' })).status;
};

test('who asks for what is not there cannot keep others from what is', async () => {
  files['/dists/test/InRelease'] = Buffer.from('signed');
  expect(await get('debian/dists/test/InRelease/x')).toBe(404);
  expect(await get('debian/dists/test/InRelease')).toBe(200);
  expect(await get('constructor/x')).toBe(404);
});

test('what a power cut left half written is fetched again', async () => {
  files['/pool/a.deb'] = Buffer.alloc(5000, 1);
  expect(await get('debian/pool/a.deb')).toBe(200);
  const path = join(deps.files.folder, '.mirror/debian/pool/a.deb');
  truncateSync(path, 100);
  expect(await get('debian/pool/a.deb')).toBe(200);
  writeFileSync(`${path}.facts`, '');
  expect(await get('debian/pool/a.deb')).toBe(200);
});

test.skipIf(!mounted)('the disk of the cache is never filled to its end', async () => {
  const full = { ...deps, files: openFileStore(small) };
  mkdirSync(join(small, '.mirror'), { recursive: true });
  for (let number = 0; number < 10; number++) {
    files[`/pool/${number}.deb`] = Buffer.alloc(600_000, 1);
    const status = await get(`debian/pool/${number}.deb`, full);
    expect([200, 507]).toContain(status);
  }
  expect(await get('debian/pool/9.deb', full)).toBe(507);
  expect(await get('debian/pool/0.deb', full)).toBe(200);
  const { bavail, bsize } = statfsSync(small);
  expect(bavail * bsize).toBeGreaterThan(200_000);
});
