import { HostwrightError } from '@hostwright/core';
import { deleteDeployment, readChain, updateDeployment, type Db } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, addDeployment, addNodes, deploy, importRoles } from './fixture.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterAll(() => database.close());

const errorOf = async (work: Promise<unknown>): Promise<HostwrightError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof HostwrightError) return error;
  throw new Error(`not refused: ${String(error)}`);
};

test('a tree of any depth', async () => {
  let parent: number | undefined;
  for (let depth = 0; depth < 40; depth++)
    parent = (await addDeployment(db, `deep-${depth}`, parent)).id;
  const chain = await readChain(db, parent ?? 0);
  expect(chain).toHaveLength(41);
  expect(chain.at(-1)?.system).toBe(true);
});

test('bad names get one clear sentence', async () => {
  await expect(addDeployment(db, 'Shop')).rejects.toThrow(/lower case/);
  await expect(addDeployment(db, 'a'.repeat(1_000_000))).rejects.toThrow(/longer than 255/);
  await addDeployment(db, 'taken');
  expect((await errorOf(addDeployment(db, 'taken'))).code).toBe('name_taken');
  expect((await errorOf(addDeployment(db, 'orphan', 999_999))).code).toBe('not_found');
});

test('a deployment does not become its own ancestor', async () => {
  const top = await addDeployment(db, 'top');
  const middle = await addDeployment(db, 'middle', top.id);
  const low = await addDeployment(db, 'low', middle.id);
  await expect(
    updateDeployment(db, { deploymentId: top.id, parentId: low.id, actor: ACTOR }),
  ).rejects.toThrow(/part of it/);
  await updateDeployment(db, {
    deploymentId: low.id,
    parentId: top.id,
    name: 'higher',
    actor: ACTOR,
  });
  expect((await readChain(db, low.id)).map((link) => link.name)).toEqual([
    'higher',
    'top',
    'system',
  ]);
});

test('an old revision does not overwrite a newer one', async () => {
  const made = await addDeployment(db, 'versioned');
  await updateDeployment(db, {
    deploymentId: made.id,
    description: 'a',
    revision: 1,
    actor: ACTOR,
  });
  expect(
    (
      await errorOf(
        updateDeployment(db, {
          deploymentId: made.id,
          description: 'b',
          revision: 1,
          actor: ACTOR,
        }),
      )
    ).code,
  ).toBe('precondition_failed');
});

test('deleting what others need names every need at once', async () => {
  await importRoles(db, [{ name: 'web' }]);
  const used = await addDeployment(db, 'used');
  await addDeployment(db, 'child', used.id);
  await addNodes(db, ['d1'], { deployment: 'used' });
  await deploy(db, used.id, ['web@d1']);
  const error = await errorOf(deleteDeployment(db, { deploymentId: used.id, actor: ACTOR }));
  expect(error.code).toBe('in_use');
  expect(error.refusals.map((refusal) => refusal.message)).toEqual([
    'used has deployments below it: child',
    'used has nodes: d1',
    'used has noderoles (unbind them and commit first): web@d1',
  ]);
});

test('the system deployment stays, keeps its name and its place', async () => {
  const [system] = (await readChain(db, (await addDeployment(db, 'probe')).id)).toReversed();
  const deploymentId = system?.id ?? 0;
  expect((await errorOf(deleteDeployment(db, { deploymentId, actor: ACTOR }))).code).toBe('in_use');
  expect(
    (await errorOf(updateDeployment(db, { deploymentId, name: 'other', actor: ACTOR }))).code,
  ).toBe('refused');
});

test('an empty deployment goes', async () => {
  const made = await addDeployment(db, 'short-lived');
  await deleteDeployment(db, { deploymentId: made.id, actor: ACTOR });
  expect((await errorOf(readChain(db, made.id))).code).toBe('not_found');
});

test('a deployment with noderoles does not move: their parents are found up the tree', async () => {
  const here = await addDeployment(db, 'here');
  const there = await addDeployment(db, 'there');
  await addNodes(db, ['m1']);
  await deploy(db, here.id, ['web@m1']);
  await expect(
    updateDeployment(db, { deploymentId: here.id, parentId: there.id, actor: ACTOR }),
  ).rejects.toThrow(/unbind them before it moves/);
});
