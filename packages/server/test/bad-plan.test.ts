/** Bad plans and bad content, through the API alone: each a clear answer, nothing half done. */
import { createNodes, registerJigs } from '@hostwright/engine';
import { noopJig } from '@hostwright/jigs';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

const NODES = 10_000;

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await registerJigs(world.database.db, [noopJig]);
  const roles = '  - { name: web, jig: noop }\n  - { name: db, jig: noop }\n';
  const done = await importText(`name: trial\nversion: "1"\nroles:\n${roles}`);
  expect(done.status, done.text).toBe(200);
  await createNodes(world.database.db, {
    nodes: Array.from({ length: NODES }, (_, index) => ({ name: `n${index}` })),
    actor: 'test',
  });
});
afterAll(() => world.stop());

const importText = (manifest: string, name = 'trial') =>
  world.ask('admin', {
    method: 'POST',
    url: '/barclamps/import',
    body: { name, files: { 'barclamp.yml': manifest } },
  });
const post = (url: string, body: unknown = {}) =>
  world.ask('operator', { method: 'POST', url, body });
const propose = async (name: string): Promise<number> => {
  await post('/deployments', { name });
  return (await post(`/deployments/${name}/snapshots`)).json.id;
};
const bind = (snapshot: number, bindings: readonly { role: string; node: string }[]) =>
  post(`/snapshots/${snapshot}/bind`, { bindings });
const count = async (table: 'binding' | 'noderole' | 'role'): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)}`.execute(world.database.db);
  return rows[0]?.count ?? -1;
};

const bomb = Array.from({ length: 12 }, (_, level) =>
  level === 0
    ? '  a0: &a0 [x, x, x, x, x, x, x, x, x]'
    : `  a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ')}]`,
).join('\n');

test.each([
  [
    'roles that require each other in a circle',
    'name: bad\nversion: "1"\nroles:\n  - { name: a, jig: noop, requires: [b] }\n  - { name: b, jig: noop, requires: [a] }\n',
    /a.*b|b.*a/,
  ],
  [
    'a role of a jig that is not there',
    'name: bad\nversion: "1"\nroles: [{ name: a, jig: chef }]\n',
    /there is no jig chef/,
  ],
  ['a key given twice', 'name: bad\nname: worse\nversion: "1"\n', /unique/],
  ['an alias bomb', `name: bad\nversion: "1"\ndata:\n${bomb}\n`, /alias/i],
  ['a name of nearly a megabyte', `name: ${'a'.repeat(900_000)}\nversion: "1"\n`, /name/],
])('a barclamp with %s is refused in a few words', async (_, manifest, words) => {
  const before = await count('role');
  const answer = await importText(manifest, 'bad');
  expect(answer.json, answer.text.slice(0, 500)).toMatchObject({ status: 400, code: 'bad_input' });
  expect(answer.text).toMatch(words);
  expect(answer.text.length).toBeLessThan(5000);
  expect(await count('role')).toBe(before);
});

test('a role or node that is not there is said once each, and nothing is bound', async () => {
  const snapshot = await propose('missing');
  const answer = await bind(snapshot, [
    { role: 'web', node: 'n1' },
    { role: 'nosuch', node: 'n1' },
    { role: 'nosuch', node: 'nobody' },
  ]);
  expect(answer.json).toMatchObject({ status: 404, code: 'not_found' });
  expect(answer.json.refusals.map((each: { message: string }) => each.message)).toEqual([
    'there is no role nosuch',
    'there is no node nobody',
  ]);
  expect(await count('binding')).toBe(0);
});

test('ten thousand binds in one call are all made, and one bad one among them makes none', async () => {
  const snapshot = await propose('large');
  const all = Array.from({ length: NODES }, (_, index) => ({ role: 'web', node: `n${index}` }));
  const refused = await bind(snapshot, [...all, { role: 'web', node: 'nobody' }]);
  expect(refused.json).toMatchObject({ code: 'not_found' });
  expect(await count('binding')).toBe(0);
  const done = await bind(snapshot, all);
  expect(done.json, done.text.slice(0, 500)).toMatchObject({ bound: NODES });
  expect(await count('binding')).toBe(NODES);
  await world.ask('operator', { method: 'DELETE', url: `/snapshots/${snapshot}` });
});

test('of one snapshot committed five times at once, one commit is made', async () => {
  const snapshot = await propose('raced');
  await bind(snapshot, [{ role: 'web', node: 'n1' }]);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => post(`/snapshots/${snapshot}/commit`)),
  );
  expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([
    200, 409, 409, 409, 409,
  ]);
  expect(answers.find((answer) => answer.status === 409)?.json.detail).toMatch(
    /is committed \(by operator\)/,
  );
  expect(await count('noderole')).toBe(1);
  const again = await post('/deployments/raced/snapshots');
  expect((await post(`/snapshots/${again.json.id}/commit`)).json).toMatchObject({
    status: 409,
    code: 'nothing_to_commit',
  });
});

test('a plan hash that no longer holds is refused with what has moved', async () => {
  const snapshot = await propose('moved');
  await bind(snapshot, [{ role: 'web', node: 'n2' }]);
  const { json: plan } = await world.ask('viewer', { url: `/snapshots/${snapshot}/plan` });
  await bind(snapshot, [{ role: 'db', node: 'n2' }]);
  const before = await count('noderole');
  const answer = await post(`/snapshots/${snapshot}/commit`, { plan: plan.hash });
  expect(answer.json).toMatchObject({ status: 409, code: 'plan_moved' });
  expect(answer.json.moved[0].what).toContain('moved');
  expect(await count('noderole')).toBe(before);
  for (const rollingLimit of [0, -1, 1.5, 1e12])
    expect((await post(`/snapshots/${snapshot}/commit`, { rollingLimit })).status).toBe(400);
  const fresh = await world.ask('viewer', { url: `/snapshots/${snapshot}/plan` });
  const done = await post(`/snapshots/${snapshot}/commit`, { plan: fresh.json.hash });
  expect(done.status, done.text).toBe(200);
});
