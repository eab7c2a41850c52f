/** Files on the server that are wrong, or cannot be read: what it costs, and whom. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@hostwright/testkit';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { hostShard, updateShards } from '../src/dnsmasq/shard.ts';
import { writeLoaders } from '../src/dnsmasq/start.ts';
import { openFileStore, registerFile } from '../src/index.ts';
import { answerFile } from '../src/files/serve.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostwright-spoiled-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a wrong image is read once, however many machines ask for it', async () => {
  await using database = await createTestDatabase();
  const path = join(folder, 'image.tar');
  const good = randomBytes(100_000);
  writeFileSync(path, good);
  await registerFile(database.db, { folder, path: 'image.tar' });
  const store = openFileStore(folder);
  const ask = () => answerFile(database.db, store, { path: 'image.tar' });
  const time = new Date('2026-06-01T12:00:00Z');
  writeFileSync(path, randomBytes(100_000));
  utimesSync(path, time, time);
  await expect(ask()).rejects.toThrow('wrong checksum');
  // the right bytes under the same size and time: who reads them again would find them right
  writeFileSync(path, good);
  utimesSync(path, time, time);
  const answers = await Promise.allSettled(Array.from({ length: 20 }, ask));
  expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
  // a real change is seen
  writeFileSync(path, good);
  utimesSync(path, time, new Date('2026-06-01T12:00:05Z'));
  expect(await ask()).toMatchObject({ status: 200 });
});

test('a shard that cannot be read keeps the lines of its other nodes', async () => {
  await updateShards(
    folder,
    new Map([
      [1, 'one\n'],
      [257, 'two\n'],
    ]),
    hostShard,
  );
  const shard = join(folder, hostShard(1));
  const before = readFileSync(shard, 'utf8');
  // what stands there cannot be read as a file, as in a moment without free file handles
  rmSync(shard);
  mkdirSync(shard);
  await expect(updateShards(folder, new Map([[1, 'new\n']]), hostShard)).rejects.toThrow(/EISDIR/);
  rmSync(shard, { recursive: true });
  writeFileSync(shard, before);
  await updateShards(folder, new Map([[1, 'new\n']]), hostShard);
  expect(readFileSync(shard, 'utf8')).toBe('# node 1\nnew\n# node 257\ntwo\n');
});

const small = mkdtempSync(join(tmpdir(), 'hostwright-loaders-'));
const mounted =
  process.getuid?.() === 0 &&
  existsSync('/usr/lib/ipxe/undionly.kpxe') &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', small]).status === 0;
afterAll(() => {
  if (mounted) spawnSync('umount', [small]);
  rmSync(small, { recursive: true, force: true });
});

test.skipIf(!mounted)('a full disk leaves the loaders that machines boot with', async () => {
  mkdirSync(join(small, 'tftp/grub'), { recursive: true });
  writeFileSync(join(small, 'tftp/undionly.kpxe'), 'the old one');
  await expect(writeLoaders(small)).rejects.toMatchObject({ code: 'no_space' });
  expect(readFileSync(join(small, 'tftp/undionly.kpxe'), 'utf8')).toBe('the old one');
  expect(readdirSync(join(small, 'tftp')).sort()).toEqual(['grub', 'undionly.kpxe']);
});

test.skipIf(!mounted)('on a full disk a file that cannot grow keeps all lines it has', async () => {
  for (const name of readdirSync(small)) rmSync(join(small, name), { recursive: true });
  const inOne = () => 'nodes';
  const aside = join(small, 'aside');
  mkdirSync(aside);
  const line = (nodeId: number) => `192.168.77.${nodeId} web${nodeId}.lab.test\n`;
  const parts = new Map(Array.from({ length: 85 }, (_, at) => [at + 1, line(at + 1)]));
  await updateShards(small, parts, inOne, aside);
  const before = readFileSync(join(small, 'nodes'), 'utf8');
  expect(before.length).toBeLessThan(4096);
  spawnSync('dd', ['if=/dev/zero', `of=${join(small, 'filler')}`, 'bs=4k']);
  const larger = new Map([[1, line(1).repeat(40)]]);
  await expect(updateShards(small, larger, inOne, aside)).rejects.toMatchObject({
    code: expect.stringMatching(/no_space|ENOSPC/),
  });
  expect(readFileSync(join(small, 'nodes'), 'utf8')).toBe(before);
  rmSync(join(small, 'filler'));
  await updateShards(small, larger, inOne, aside);
  expect(readFileSync(join(small, 'nodes'), 'utf8')).toContain(line(85));
});
