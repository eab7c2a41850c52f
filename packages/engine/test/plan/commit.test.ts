import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDeployment, addNodes, deploy, importRoles, seeNoderoles } from './fixture.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test('a commit makes noderoles with parents, cohorts and states', async () => {
  const { db } = database;
  await importRoles(db, [
    { name: 'base', flags: ['implicit'] },
    { name: 'web', requires: ['base'] },
  ]);
  await addNodes(db, ['n1']);
  const shop = await addDeployment(db, 'shop');
  const { plan } = await deploy(db, shop.id, ['web@n1']);
  expect(plan.add.map((item) => item.role).sort()).toEqual(['base', 'web']);
  expect(plan.pulledIn).toEqual([
    { role: 'base', node: 'n1', reason: 'web@n1 requires base, on the same node' },
  ]);
  expect(await seeNoderoles(db)).toMatchObject({
    'base@n1': { state: 'todo', pending: 0, cohort: 0, parents: [] },
    'web@n1': { state: 'blocked', pending: 1, cohort: 1, parents: ['base@n1'] },
  });
});
