/** Operator's data of the system deployment: set directly, never proposed. */
import { listSnapshots, proposeSnapshot, setSystemData } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  ACTOR,
  addDeployment,
  addNodes,
  clear,
  deploy,
  importRoles,
  makeActive,
  seeNoderoles,
} from './fixture.ts';

let database: TestDatabase;
let system: number;
let shop: number;

const ATTRIBS = [
  { name: 'level', path: 'level', schema: { type: 'string' }, default: 'low' },
  { name: 'depth', path: 'depth', schema: { type: 'integer' }, default: 1 },
];

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  const { db } = database;
  await clear(db);
  await importRoles(db, [
    { name: 'look', flags: ['discovery'], attribs: ATTRIBS.slice(0, 1) },
    { name: 'count', flags: ['discovery'], attribs: ATTRIBS.slice(1) },
    { name: 'web', requires: ['look'], wants: ['level'] },
    { name: 'wipe', flags: ['destructive'], requires: ['look'], wants: ['level'] },
  ]);
  system = (
    await db
      .selectFrom('deployment')
      .select('id')
      .where('system', '=', true)
      .executeTakeFirstOrThrow()
  ).id;
  await addNodes(db, ['n1', 'n2']);
  shop = (await addDeployment(db, 'shop')).id;
  await deploy(db, shop, ['web@n1', 'wipe@n1']);
  await makeActive(db, ['look@n1', 'look@n2', 'count@n1', 'count@n2', 'web@n1', 'wipe@n1']);
});
afterAll(() => database.close());

const states = async () =>
  Object.fromEntries(
    Object.entries(await seeNoderoles(database.db)).map(([name, { state, drifted }]) => [
      name,
      drifted ? 'drifted' : state,
    ]),
  );

test('it is in force at once, and exactly those whose inputs it changes run again, below too', async () => {
  const { db } = database;
  const set = await setSystemData(db, {
    deploymentId: system,
    data: { level: 'high' },
    actor: ACTOR,
  });
  expect(set).toMatchObject({ revision: 1, changed: true, drifted: 1 });
  expect(await states()).toEqual({
    'look@n1': 'todo',
    'look@n2': 'todo',
    'count@n1': 'active',
    'count@n2': 'active',
    'web@n1': 'blocked',
    'wipe@n1': 'drifted',
  });
  expect(
    await setSystemData(db, { deploymentId: system, data: { level: 'high' }, actor: ACTOR }),
  ).toEqual({ revision: 1, changed: false, rerun: 0, drifted: 0 });
});

test('data of a role reaches the noderoles of that role; the time line has both', async () => {
  const { db } = database;
  await setSystemData(db, { deploymentId: system, data: { level: 'high' }, actor: ACTOR });
  const set = await setSystemData(db, {
    deploymentId: system,
    role: 'count',
    data: { depth: 7 },
    actor: ACTOR,
  });
  expect(set).toEqual({ revision: 2, changed: true, rerun: 2, drifted: 0 });
  expect(
    (await listSnapshots(db, { deploymentId: system })).map(({ revision, state }) => ({
      revision,
      state,
    })),
  ).toEqual([
    { revision: 2, state: 'committed' },
    { revision: 1, state: 'superseded' },
  ]);
});

test('what does not fit, what nobody declares and any other deployment are refused, and nothing stays', async () => {
  const { db } = database;
  const set = (data: Record<string, unknown>, deploymentId = system) =>
    setSystemData(db, { deploymentId, data: data as Record<string, string>, actor: ACTOR });
  await expect(set({ level: 5 })).rejects.toMatchObject({ code: 'refused' });
  await expect(set({ nonsense: 'x' })).rejects.toMatchObject({ code: 'refused' });
  await expect(set({ level: 'high' }, shop)).rejects.toMatchObject({ code: 'conflict' });
  await expect(proposeSnapshot(db, { deploymentId: system, actor: ACTOR })).rejects.toThrow(
    'never proposed',
  );
  expect(await listSnapshots(db, { deploymentId: system })).toEqual([]);
});
