import { parseManifest } from '@hostwright/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const faults = (value: unknown): string[] => {
  const result = parseManifest(value);
  return result.ok ? [] : result.refusals.map((refusal) => `${refusal.path}: ${refusal.message}`);
};
const withRole = (role: Record<string, unknown>) => ({
  name: 'demo',
  version: '1',
  roles: [{ name: 'web', jig: 'noop', ...role }],
});

test('the least that is a barclamp', () => {
  expect(parseManifest({ name: 'demo', version: '1' })).toMatchObject({
    ok: true,
    manifest: { roles: [], attribs: [] },
  });
});

test('server is the older word for service, and flags count once', () => {
  const result = parseManifest(withRole({ flags: ['server', 'service', 'milestone'] }));
  expect(result.ok && result.manifest.roles[0]?.flags).toEqual(['service', 'milestone']);
});

describe('faults name their field', () => {
  test.each([
    ['an unknown key', { ...withRole({}), author: 'me' }, /author/],
    ['an unknown key of a role', withRole({ require: ['x'] }), /roles\.0.*require/s],
    ['an unknown flag', withRole({ flags: ['shiny'] }), /roles\.0\.flags\.0/],
    ['an unknown lane', withRole({ lane: 'fast' }), /roles\.0\.lane/],
    ['a name with capitals', withRole({ name: 'Web' }), /roles\.0\.name.*lower case/],
    [
      'a name of a megabyte',
      withRole({ name: 'a'.repeat(1_000_000) }),
      /roles\.0\.name.*longer than 100/,
    ],
    ['a deadline out of range', withRole({ deadlineSeconds: 1e12 }), /roles\.0\.deadlineSeconds/],
    ['a fraction where a whole number stands', withRole({ priority: 1.5 }), /roles\.0\.priority/],
    ['a retry limit out of range', withRole({ retry: { limit: 1000 } }), /roles\.0\.retry\.limit/],
    ['no version', { name: 'demo' }, /version/],
    ['not an object', [1, 2], /barclamp\.yml/],
    [
      'a role twice',
      {
        name: 'demo',
        version: '1',
        roles: [
          { name: 'a', jig: 'noop' },
          { name: 'a', jig: 'noop' },
        ],
      },
      /roles\.1\.name.*twice/,
    ],
    [
      'an attribute twice',
      { ...withRole({ attribs: [{ name: 'port' }] }), attribs: [{ name: 'port' }] },
      /roles\.0\.attribs\.0\.name.*twice/,
    ],
    ['a role that requires itself', withRole({ requires: ['web'] }), /roles\.0\.requires.*itself/],
    [
      'requires and conflicts',
      withRole({ requires: ['x'], conflicts: ['x'] }),
      /requires and conflicts/,
    ],
    ['abstract and discovery', withRole({ flags: ['abstract', 'discovery'] }), /abstract/],
    ['destructive and discovery', withRole({ flags: ['destructive', 'discovery'] }), /destructive/],
    [
      'a schema that is none',
      withRole({ attribs: [{ name: 'p', schema: { type: 'nonsense' } }] }),
      /attribs\.0\.schema/,
    ],
    [
      'a default that does not fit',
      withRole({ attribs: [{ name: 'p', schema: { type: 'integer' }, default: 'x' }] }),
      /attribs\.0\.default/,
    ],
    [
      'a secret with a plain default',
      withRole({ attribs: [{ name: 'p', secret: true, default: 'x' }] }),
      /attribs\.0\.default.*secret/,
    ],
    [
      'a path with empty parts',
      withRole({ attribs: [{ name: 'p', path: 'a//b' }] }),
      /attribs\.0\.path/,
    ],
  ])('%s', (_, value, pattern) => {
    expect(faults(value).join('\n')).toMatch(pattern);
  });

  test('all of them at once, and none longer than a screen line or four', () => {
    const all = faults({
      name: 'X',
      version: '',
      roles: [{ name: 'a'.repeat(1e6), jig: 'noop', flags: ['no'] }],
    });
    expect(all.length).toBeGreaterThanOrEqual(4);
    for (const fault of all) expect(fault.length).toBeLessThan(700);
  });
});

test('no value whatever makes it throw', () => {
  fc.assert(fc.property(fc.anything(), (value) => void parseManifest(value)));
  fc.assert(
    fc.property(
      fc.jsonValue(),
      (value) => void parseManifest({ name: 'a', version: '1', roles: value }),
    ),
  );
});
