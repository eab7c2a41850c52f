import { expect, test } from 'vitest';
import { readAt, writeAt } from './at-path.ts';
import { kindOf, parseField, showValue } from './read-schema.ts';

test('an emptied field leaves no empty objects behind', () => {
  const document = { demo: { web: { port: 80 } }, other: 1 };
  expect(writeAt(document, 'demo/web/port', undefined)).toEqual({ other: 1 });
  expect(document).toEqual({ demo: { web: { port: 80 } }, other: 1 });
});

test('a value is written where it is read', () => {
  const written = writeAt({ demo: { keep: true } }, 'demo/web/port', 8080);
  expect(readAt(written, 'demo/web/port')).toBe(8080);
  expect(readAt(written, 'demo/keep')).toBe(true);
});

test('numbers out of their limits are refused in words', () => {
  const port = { type: 'integer', minimum: 1, maximum: 65_535 };
  expect(parseField(port, '80')).toEqual({ ok: true, value: 80 });
  expect(parseField(port, '70000')).toEqual({ ok: false, reason: 'At most 65535.' });
  expect(parseField(port, '1.5').ok).toBe(false);
  expect(parseField(port, 'http').ok).toBe(false);
});

test('an empty field means inherit, not an empty text', () => {
  expect(parseField({ type: 'string' }, '')).toEqual({ ok: true, value: undefined });
});

test('what a schema does not describe is edited as JSON', () => {
  expect(kindOf(null)).toBe('json');
  expect(kindOf({ type: 'object' })).toBe('json');
  expect(kindOf({ type: 'array', items: { type: 'string' } })).toBe('lines');
  expect(parseField(null, '{"a":').ok).toBe(false);
  expect(showValue({ type: 'array', items: { type: 'string' } }, ['a', 'b'])).toBe('a\nb');
});

test('an enum gives back the value, not its text', () => {
  expect(parseField({ enum: [1, 2, 'x'] }, '2')).toEqual({ ok: true, value: 2 });
});
