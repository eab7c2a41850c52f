/** docs/guides/write-a-barclamp.md, followed: its files as they stand on the page, its steps in order. */
import { readFileSync } from 'node:fs';
import {
  bindRoles,
  commitSnapshot,
  importBarclamp,
  planSnapshot,
  proposeSnapshot,
  resolveInputs,
  addDeploymentRole,
  unbindRoles,
  type Db,
} from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ACTOR,
  addDeployment,
  addJigs,
  addNodes,
  makeActive,
  seeNoderoles,
  writeBarclamp,
} from './fixture.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterAll(() => database.close());

const repository = (path: string): string =>
  new URL(`../../../../${path}`, import.meta.url).pathname;
const page = readFileSync(repository('docs/guides/write-a-barclamp.md'), 'utf8');
const files = Object.fromEntries(
  [...page.matchAll(/<!-- file: (\S+) -->\n```\w+\n([\s\S]*?)```/g)].map(
    ([, name = '', content = '']) => [name, content],
  ),
);

test('the guide works as written', async () => {
  await addJigs(db);
  await importBarclamp(db, { folder: repository('barclamps/core'), actor: ACTOR });
  await addNodes(db, ['machine']);
  await makeActive(db, ['managed-node@machine']);

  expect(Object.keys(files)).toHaveLength(4);
  const folder = writeBarclamp(files);
  expect(await importBarclamp(db, { folder, actor: ACTOR })).toMatchObject({
    added: ['motd', 'greeting'],
    unresolved: [],
  });
  expect(await importBarclamp(db, { folder, actor: ACTOR })).toMatchObject({
    unchanged: ['motd', 'greeting'],
  });
  const wrong = writeBarclamp({
    ...files,
    'barclamp.yml': (files['barclamp.yml'] ?? '').replace('jig: script', 'jig: chef'),
  });
  await expect(importBarclamp(db, { folder: wrong, actor: ACTOR })).rejects.toThrow(
    'barclamp.yml: role motd: there is no jig chef (there are noop, script, test)',
  );

  const play = await addDeployment(db, 'play');
  const propose = () => proposeSnapshot(db, { deploymentId: play.id, actor: ACTOR });
  const first = await propose();
  const at = { snapshotId: first.id, actor: ACTOR };
  await bindRoles(db, { ...at, bindings: [{ role: 'greeting', node: 'machine' }] });
  const plan = await planSnapshot(db, first.id);
  expect(plan.add).toHaveLength(2);
  expect(plan.pulledIn).toEqual([
    { role: 'motd', node: 'machine', reason: 'greeting@machine requires motd, on the same node' },
  ]);
  await commitSnapshot(db, { ...at, planHash: plan.hash });
  expect(await seeNoderoles(db)).toMatchObject({
    'motd@machine': { state: 'todo' },
    'greeting@machine': { state: 'blocked' },
  });
  await makeActive(db, ['motd@machine', 'greeting@machine']);

  const second = await propose();
  const change = { snapshotId: second.id, actor: ACTOR, role: 'motd' };
  await expect(
    addDeploymentRole(db, { ...change, data: { motd: { text: 'x'.repeat(300) } } }),
  ).rejects.toThrow(/must NOT have more than 200 characters/);
  await addDeploymentRole(db, { ...change, data: { motd: { text: 'It works' } } });
  expect((await planSnapshot(db, second.id)).rerun.map((item) => item.role).sort()).toEqual([
    'greeting',
    'motd',
  ]);
  await commitSnapshot(db, { snapshotId: second.id, actor: ACTOR });
  const greeting = (await seeNoderoles(db))['greeting@machine'];
  const inputs = await resolveInputs(db, [greeting?.id ?? 0]);
  expect(inputs.get(greeting?.id ?? 0)?.attribs).toEqual({ motd: { text: 'It works' } });

  const third = await propose();
  const unbound = await unbindRoles(db, {
    snapshotId: third.id,
    actor: ACTOR,
    bindings: [{ role: 'greeting', node: 'machine' }],
  });
  expect(unbound.alsoUnbound).toMatchObject([{ role: 'motd', node: 'machine' }]);
  const { plan: last } = await commitSnapshot(db, { snapshotId: third.id, actor: ACTOR });
  expect(last.teardown.map((item) => `${item.role} ${item.how}`).sort()).toEqual([
    'greeting forget',
    'motd teardown',
  ]);
});
