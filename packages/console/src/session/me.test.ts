import { expect, test } from 'vitest';
import { comeBackTo } from './me.ts';

const HOME = 'https://hostwright.example';

test.each([
  ['/nodes/n1?tab=runs', '/nodes/n1?tab=runs'],
  ['//evil.example/x', '/fleet'],
  ['/\\evil.example', '/fleet'],
  ['https://evil.example/', '/fleet'],
  ['javascript:alert(1)', '/fleet'],
  ['/signin?to=/signin', '/fleet'],
  [undefined, '/fleet'],
])('after sign-in %s leads to %s, never to another site', (wanted, to) => {
  expect(comeBackTo(wanted, HOME)).toBe(to);
});
