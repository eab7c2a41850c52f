import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LOCKS, PAIR_LOCKS } from './locks.ts';

const SOURCES = fileURLToPath(new URL('..', import.meta.url));

test.each([
  ['single', LOCKS],
  ['pair', PAIR_LOCKS],
])('no two jobs share a %s lock and so keep each other from working', (_, locks) => {
  const numbers = Object.values(locks);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('no advisory lock is taken by a number that the catalogue does not name', () => {
  const byNumber = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) =>
      /pg_(try_)?advisory_\w+\(\s*\d/.test(readFileSync(join(SOURCES, file), 'utf8')),
    );
  expect(byNumber).toEqual([]);
});
