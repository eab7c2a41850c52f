/** What the package cache keeps when it is full. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { noteUse, shrinkCache } from '../src/mirror/shrink-cache.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * 24 * 3600 * 1000);
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostwright-cache-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (name: string, bytes: number, used: Date): string => {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, Buffer.alloc(bytes));
  utimesSync(path, used, used);
  return path;
};
const hold = (name: string, bytes: number, used: Date): string => {
  put(`${name}.facts`, 2, used);
  return put(name, bytes, used);
};

test('what was asked for longest ago goes first, and no more than must', async () => {
  const old = hold('debian/pool/old.deb', 400, daysAgo(9));
  const asked = hold('debian/pool/asked.deb', 400, daysAgo(9));
  const fresh = hold('rocky/fresh.rpm', 400, daysAgo(2));
  await noteUse(asked, daysAgo(1));
  await shrinkCache(folder, { limitBytes: 1000, now: NOW });
  expect([old, `${old}.facts`, asked, fresh].map((path) => existsSync(path))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test('a cache within its limit loses nothing but old notes and broken downloads', async () => {
  const kept = hold('debian/pool/a.deb', 400, daysAgo(400));
  const note = put('debian/dists/x.absent', 0, daysAgo(2));
  const noted = put('debian/dists/y.absent', 0, NOW);
  const broken = put('.incoming/abc', 10, daysAgo(2));
  const coming = put('.incoming/def', 10, NOW);
  await shrinkCache(folder, { limitBytes: 1000, now: NOW });
  expect([kept, noted, coming].map((path) => existsSync(path))).toEqual([true, true, true]);
  expect([note, broken].map((path) => existsSync(path))).toEqual([false, false]);
});

test('names that no mirror has cannot fill the disk', async () => {
  for (let index = 0; index < 10_050; index++) put(`debian/n/${index}.absent`, 0, NOW);
  await shrinkCache(folder, { limitBytes: 1000, now: NOW });
  expect(readdirSync(join(folder, 'debian/n'))).toHaveLength(10_000);
});

test('use is noted once a day', async () => {
  const path = hold('a.deb', 1, daysAgo(0.5));
  await noteUse(path, NOW);
  expect(statSync(`${path}.facts`).mtime).toEqual(daysAgo(0.5));
});
