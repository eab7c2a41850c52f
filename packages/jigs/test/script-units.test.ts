/** The pure parts of the script jig. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseWall } from '@hostwright/jigs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { flattenAttribs } from '../src/script/flatten-attribs.ts';
import { toOutcome } from '../src/script/outcome.ts';
import { readScripts } from '../src/script/read-scripts.ts';
import { fingerprintOf, judgeHostKey, keyKinds } from '../src/script/ssh/host-key.ts';
import { createTail } from '../src/script/ssh/tail.ts';
import { makeTar } from '../src/script/tar.ts';

test('a wall of several objects is merged in the order written', () => {
  const text = '{"a":{"b":1,"c":"}{"}}\n{"a":{"b":2}}{"d":[{"e":null}]}\n';
  expect(parseWall(text)).toEqual({
    ok: true,
    wall: { a: { b: 2, c: '}{' }, d: [{ e: null }] },
  });
  expect(parseWall('')).toEqual({ ok: true, wall: {} });
});

test.each(['[1]', '{"a":1', 'words', '{"a":1} trailing', '{"a":}', '"text"', '{'.repeat(1000)])(
  'a wall that is not JSON objects is refused whole: %s',
  (text) => expect(parseWall(text).ok).toBe(false),
);

test('any objects, however spaced, come back merged', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }), { maxLength: 4 }),
      (objects) => {
        const parsed = parseWall(
          objects.map((object) => JSON.stringify(object, null, 1)).join(' \n'),
        );
        expect(parsed.ok).toBe(true);
      },
    ),
  );
});

test('every attribute has a name for the shell, at every depth', () => {
  const flat = flattenAttribs({ web: { port: 80, names: ['a', 'b'], 'log-level': 'info' } });
  expect(Object.fromEntries(flat)).toEqual({
    WEB: '{"port":80,"names":["a","b"],"log-level":"info"}',
    WEB_PORT: '80',
    WEB_NAMES: '["a","b"]',
    WEB_NAMES_0: 'a',
    WEB_NAMES_1: 'b',
    WEB_LOG_LEVEL: 'info',
  });
});

test('a bundle holds no name that leaves its folder', () => {
  const file = { content: Buffer.alloc(0), mode: 0o600 };
  expect(() => makeTar([{ path: '../x', ...file }])).toThrow(/cannot be a name/);
  expect(() => makeTar([{ path: '/etc/passwd', ...file }])).toThrow(/cannot be a name/);
  expect(() => makeTar([{ path: 'a'.repeat(200), ...file }])).toThrow(/cannot be a name/);
});

test('scripts come in name order; a missing folder or a missing #! is a reason', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-scripts-'));
  const put = (path: string, text: string): void => {
    mkdirSync(join(folder, 'scripts', path, '..'), { recursive: true });
    writeFileSync(join(folder, 'scripts', path), text);
  };
  put('web/20-b', '#!/bin/sh\n');
  put('web/10-a', '#!/usr/bin/env python3\n');
  put('web/README.md', 'words');
  put('web/teardown/10-stop', '#!/bin/sh\n');
  put('bad/10-a', 'echo no shebang\n');
  const read = async (role: string, kind: 'run' | 'refresh' | 'teardown') => {
    const found = await readScripts({ folder, role, kind });
    return found.ok ? found.scripts.map(({ name }) => name) : found.reason;
  };
  expect(await read('web', 'run')).toEqual(['10-a', '20-b']);
  expect(await read('web', 'refresh')).toEqual(['10-a', '20-b']);
  expect(await read('web', 'teardown')).toEqual(['10-stop']);
  expect(await read('bad', 'run')).toContain('does not begin with #!');
  expect(await read('none', 'run')).toContain('has no scripts');
  expect(await read('bad', 'teardown')).toContain('has no scripts in scripts/bad/teardown');
  rmSync(folder, { recursive: true });
});

test('a host key is judged by what is pinned, whole or as a fingerprint', () => {
  const key = Buffer.from('a key');
  const line = `ssh-ed25519 ${key.toString('base64')} comment`;
  const judge = (pinned: string[], mayLearn = false) =>
    judgeHostKey(key, { pinned, mayLearn }).kind;
  expect(judge([line])).toBe('pinned');
  expect(judge([fingerprintOf(key)])).toBe('pinned');
  expect(judge([`ssh-ed25519 ${Buffer.from('other').toString('base64')}`], true)).toBe('refused');
  expect(judge([])).toBe('refused');
  expect(judge([], true)).toBe('learn');
  expect(keyKinds(['ssh-rsa AAAA'])).toEqual(['rsa-sha2-512', 'rsa-sha2-256']);
  expect(keyKinds(['SHA256:x', line])).toBeUndefined();
});

test('a tail gives whole lines and knows its place, however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat(20)), (text, cuts) => {
      const bytes = Buffer.from(text.replaceAll('\0', ' ').toWellFormed());
      const given: string[] = [];
      const tail = createTail(0, (lines) => given.push(lines));
      let at = 0;
      for (const cut of cuts) {
        tail.push(bytes.subarray(at, at + cut));
        at += cut;
      }
      tail.push(bytes.subarray(at));
      tail.end();
      expect(tail.offset()).toBe(bytes.length);
      expect(given.join('\n')).toBe(bytes.toString('utf8').replace(/\n$/, ''));
    }),
    { numRuns: 25 },
  );
});

test('how a run ended says whom to blame', () => {
  const base = { exitCode: 0, reason: '', script: '10-a', wall: {}, wallError: '' };
  expect(toOutcome(base)).toEqual({ kind: 'succeeded', wall: {} });
  expect(toOutcome({ ...base, exitCode: 2 })).toMatchObject({
    blame: 'content',
    reason: '10-a exited with 2',
  });
  expect(toOutcome({ ...base, exitCode: 124, reason: 'timeout' })).toMatchObject({
    blame: 'content',
  });
  expect(toOutcome({ ...base, exitCode: 137, reason: 'rebooted' })).toMatchObject({
    blame: 'node',
    retryable: true,
  });
  expect(toOutcome({ ...base, wallError: 'not JSON' })).toMatchObject({
    blame: 'content',
    retryable: false,
  });
  expect(toOutcome({ ...base, reason: 'cancelled' })).toEqual({ kind: 'cancelled' });
});
