import { expect, test } from 'vitest';
import { sameJson } from './same-json.ts';

test('a document is the same whatever the order of its keys', () => {
  expect(sameJson({ b: { d: 1, c: [1, 2] }, a: 0 }, { a: 0, b: { c: [1, 2], d: 1 } })).toBe(true);
});

test('the order of a list counts, and unset differs from null', () => {
  expect(sameJson([1, 2], [2, 1])).toBe(false);
  expect(sameJson(undefined, null)).toBe(false);
});
