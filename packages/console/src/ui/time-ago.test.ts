import { expect, test } from 'vitest';
import { formatAgo, formatSpan } from './time-ago.tsx';

const NOW = new Date('2026-01-01T12:00:00Z').getTime();
const ago = (seconds: number) => formatAgo(new Date(NOW - seconds * 1000), NOW);

test('times are told in the unit a person would use', () => {
  expect(ago(3)).toBe('just now');
  expect(ago(45)).toBe('45 sec. ago');
  expect(ago(60 * 5)).toBe('5 min. ago');
  expect(ago(3600 * 26)).toBe('yesterday');
  expect(ago(-120)).toBe('in 2 min.');
});

test('spans keep their order of magnitude', () => {
  expect([40, 1500, 61_000, 300_000, 7_260_000, 86_400_000].map(formatSpan)).toEqual([
    '40 ms',
    '1.5 s',
    '1 min 1 s',
    '5 min',
    '2 h 1 min',
    '24 h',
  ]);
});
