import { readFileSync } from 'node:fs';
import { OPERATIONS } from '@hostwright/api/all';
import { ERRORS } from '@hostwright/core';
import { expect, test } from 'vitest';

const read = (name: string): string =>
  readFileSync(new URL(`../../../docs/reference/${name}`, import.meta.url), 'utf8');

test('the page of errors lists the catalogue, both ways, with status and whether to try again', () => {
  const documented = [...read('errors.md').matchAll(/^\| `(\w+)` \| (\d+) \| (yes|no) \|/gm)].map(
    ([, code, status, retryable]) => [code, Number(status), retryable === 'yes'],
  );
  const catalogue = Object.entries(ERRORS).map(([code, error]) => [
    code,
    error.status,
    error.retryable,
  ]);
  const byCode = (one: unknown[], other: unknown[]) => (String(one[0]) < String(other[0]) ? -1 : 1);
  expect(documented.toSorted(byCode)).toEqual(catalogue.toSorted(byCode));
});

test('every path that the page about the API names exists', () => {
  const shapes = OPERATIONS.map(
    (operation) => new RegExp(`^${operation.path.replaceAll(/:\w+/g, '[^/]+')}$`),
  );
  const named = [
    ...read('api.md').matchAll(/(?:GET|POST|PUT|PATCH|DELETE) +`?(?:\/api\/v2)?(\/[\w/:.-]+)/g),
  ]
    .map((match) => (match[1] ?? '').replace(/[.:]$/, ''))
    .filter((path) => !path.startsWith('/agent'));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !shapes.some((shape) => shape.test(path)))).toEqual([]);
});
