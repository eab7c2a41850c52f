/** docs/reference/races.md names, for each race, the files whose tests meet it: no more and no fewer. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const PACKAGES = join(import.meta.dirname, '../packages');
const RACES = Array.from({ length: 26 }, (_, index) => `C${index + 1}`);

const written = (): Map<string, string[]> => {
  const page = readFileSync(join(import.meta.dirname, '../docs/reference/races.md'), 'utf8');
  return new Map(
    page
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter((cells) => /^C\d+$/.test(cells[1] ?? ''))
      .map((cells) => [
        cells[1] ?? '',
        [...(cells[3] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''),
      ]),
  );
};

const tested = (): Map<string, string[]> => {
  const found = new Map<string, string[]>(RACES.map((race) => [race, []]));
  for (const file of globSync('*/test/**/*.test.ts', { cwd: PACKAGES }).toSorted())
    for (const race of new Set(
      [...readFileSync(join(PACKAGES, file), 'utf8').matchAll(/\btest\(\s*'race (C\d+): /g)].map(
        (match) => match[1] ?? '',
      ),
    ))
      found.set(race, [...(found.get(race) ?? []), file]);
  return found;
};

test('every race has a test, and the page says where', () => {
  const page = written();
  expect([...page.keys()]).toEqual(RACES);
  const sorted = (files: ReadonlyMap<string, readonly string[]>) =>
    Object.fromEntries([...files].map(([race, names]) => [race, names.toSorted()]));
  expect(sorted(page)).toEqual(sorted(tested()));
  expect([...tested()].filter(([, files]) => files.length === 0)).toEqual([]);
});

/** Of booting: a test may meet several, `A1, A5: ...`. */
const BOOT_RACES = [
  ...Array.from({ length: 12 }, (_, index) => `A${index + 1}`),
  ...Array.from({ length: 17 }, (_, index) => `B${index + 1}`),
];

test('every race of booting and installing has a test, and the page says where', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/reference/races.md'), 'utf8');
  const told = Object.fromEntries(
    page
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter((cells) => /^[AB]\d+$/.test(cells[1] ?? ''))
      .map((cells) => [
        cells[1] ?? '',
        [...(cells[3] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '').toSorted(),
      ]),
  );
  const met: Record<string, string[]> = Object.fromEntries(BOOT_RACES.map((race) => [race, []]));
  for (const file of globSync('*/test/**/*.test.ts', { cwd: PACKAGES }).toSorted()) {
    const named = readFileSync(join(PACKAGES, file), 'utf8').matchAll(
      /'((?:[AB]\d+)(?:, [AB]\d+)*): /g,
    );
    for (const race of new Set([...named].flatMap((match) => match[1]?.split(', ') ?? [])))
      met[race]?.push(file);
  }
  expect(told).toEqual(met);
  expect(BOOT_RACES.filter((race) => met[race]?.length === 0)).toEqual([]);
});
