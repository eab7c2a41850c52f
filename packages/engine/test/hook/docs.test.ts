import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HOOKS, VETO_HOOKS } from '@hostwright/engine';

test('docs/reference/hooks.md lists every hook and what it is told of', () => {
  const page = readFileSync(
    new URL('../../../../docs/reference/hooks.md', import.meta.url),
    'utf8',
  );
  const rows = [...page.matchAll(/^\| `(on[A-Za-z]+)` \|[^|]*\| ([^|]*) \|/gm)].map(
    ([, name = '', last = '']) => [name, last.trim()],
  );
  expect(rows).toEqual([
    ...Object.entries(HOOKS).map(([name, hook]) => [name, hook.subject]),
    ...VETO_HOOKS.map((name) => [name, 'reasons why not']),
  ]);
});
