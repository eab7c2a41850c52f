/** Files for machines, taken in by the API of a server that listens: sizes and connections are real. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@hostwright/api';
import { createNodeFetch } from '@hostwright/api/node-fetch';
import { boot_file_delete, boot_file_list, boot_file_put } from '@hostwright/api/nouns/boot-file';
import { eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

let world: World;
let port: number;
beforeAll(async () => {
  world = await createWorld();
  const address = new URL(await world.app.listen({ host: '127.0.0.1', port: 0 }));
  port = Number(address.port);
});
afterAll(() => world.stop());

const as = (role: 'viewer' | 'operator' | 'admin') =>
  createClient({
    url: `http://127.0.0.1:${port}`,
    token: world.tokens[role],
    fetch: createNodeFetch(),
  });
const streamOf = (data: Uint8Array) => new Blob([new Uint8Array(data)]).stream();
const sum = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
const place = (path: string) => join(world.dataDir, 'boot', path);
const put = (
  query: { path: string; sha256?: string; size?: number },
  data: Uint8Array,
  role: 'operator' | 'admin' = 'admin',
) => as(role).call(boot_file_put, { query }, { bytes: streamOf(data) });

test('an image larger than any other body is taken in, listed and removed', async () => {
  const image = randomBytes(5_000_000);
  const path = 'images/web.tar.gz';
  const file = await put({ path, sha256: sum(image), size: image.length }, image);
  expect(file).toMatchObject({ path, sha256: sum(image), size: image.length });
  expect(sum(readFileSync(place(path)))).toBe(sum(image));
  const { items } = await as('viewer').call(boot_file_list, { query: { q: 'web' } });
  expect(items).toHaveLength(1);
  await as('admin').call(boot_file_delete, { query: { path } });
  expect(existsSync(place(path))).toBe(false);
  await expect(as('admin').call(boot_file_delete, { query: { path } })).rejects.toThrow(
    /there is no boot file/,
  );
});

test('what is wrong, odd or forbidden leaves what was there', async () => {
  const path = 'debian-13/linux';
  await put({ path }, Buffer.from('a kernel'));
  await expect(put({ path, sha256: 'a'.repeat(64) }, Buffer.from('other'))).rejects.toThrow(
    /has checksum/,
  );
  await expect(put({ path, size: 9 }, Buffer.from('short'))).rejects.toThrow(/was cut off/);
  await expect(put({ path, size: 2 ** 49 }, Buffer.from('huge'))).rejects.toThrow(/is full/);
  await expect(put({ path }, Buffer.from('mine'), 'operator')).rejects.toThrow(/needs the role/);
  for (const odd of ['../etc/passwd', '/etc/passwd', 'a/../../b', '.incoming/x', 'a b', 'a\nb'])
    await expect(put({ path: odd }, Buffer.from('x'))).rejects.toThrow(/no path/);
  expect(readFileSync(place(path), 'utf8')).toBe('a kernel');
  const json = await world.ask('admin', {
    method: 'PUT',
    url: `/boot-files?path=${path}`,
    body: { not: 'bytes' },
  });
  expect(json.json).toMatchObject({ status: 400, detail: 'Unsupported Media Type' });
  expect(readFileSync(place(path), 'utf8')).toBe('a kernel');
});

test('a sender that goes away in the middle leaves nothing', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `PUT /api/v2/boot-files?path=images/half.raw HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.tokens.admin}\r\ncontent-type: application/octet-stream\r\ncontent-length: 100000\r\n\r\nonly this`,
  );
  const incoming = () =>
    existsSync(place('.incoming')) ? readdirSync(place('.incoming')).length : 0;
  await eventually(() => incoming() === 1, { what: 'the first bytes' });
  socket.destroy();
  await eventually(() => incoming() === 0, { what: 'the sweeping' });
  expect(existsSync(place('images/half.raw'))).toBe(false);
});

test('a file that a running installation needs is not removed', async () => {
  const path = 'images/needed.tar';
  await put({ path }, Buffer.from('x'));
  const node = await world.ask('operator', {
    method: 'POST',
    url: '/nodes',
    body: { name: 'busy' },
  });
  await world.database.db
    .insertInto('os_install')
    .values({
      node_id: node.json.id,
      noderole_id: 1,
      run_id: 1,
      boot_epoch: 1,
      phase: 'installing',
      phase_deadline: new Date(Date.now() + 60_000),
      plan: JSON.stringify({ bootenv: 'ubuntu-24.04-install', image: { path } }),
    })
    .execute();
  await sql`insert into boot_env (name, kind, kernel, kernel_efi, initrds, cmdline) values ('ubuntu-24.04-install', 'install',
    'ubuntu/vmlinuz', 'ubuntu/vmlinuz.efi', '{ubuntu/initrd}', 'ip=dhcp url=\${base}/boot/v1/files/ubuntu/live-server.iso ---')
    on conflict (name) do update set kernel = excluded.kernel, kernel_efi = excluded.kernel_efi, initrds = excluded.initrds, cmdline = excluded.cmdline`.execute(
    world.database.db,
  );
  const booted = ['vmlinuz', 'vmlinuz.efi', 'initrd', 'live-server.iso'].map(
    (it) => `ubuntu/${it}`,
  );
  for (const needed of booted) await put({ path: needed }, Buffer.from('x'));
  for (const needed of [path, ...booted]) {
    await expect(as('admin').call(boot_file_delete, { query: { path: needed } })).rejects.toThrow(
      /is being installed on busy/,
    );
    expect(existsSync(place(needed))).toBe(true);
  }
  await world.database.db.updateTable('os_install').set({ phase: 'done' }).execute();
  for (const spare of [path, ...booted])
    await as('admin').call(boot_file_delete, { query: { path: spare } });
});
