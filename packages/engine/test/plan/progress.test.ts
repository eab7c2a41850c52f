/** A commit that takes roles off machines is done when they are gone, not when their teardown is due. */
import {
  bindRoles,
  commitSnapshot,
  importBarclamp,
  proposeSnapshot,
  readProgress,
  unbindRoles,
  type Db,
} from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, addDeployment, addJigs, addNodes, makeActive, writeBarclamp } from './fixture.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterAll(() => database.close());

const manifest = `name: motd
version: 1.0.0
description: A message of the day
roles:
  - { name: motd, description: Writes it, jig: script, teardown: true }
`;

test('a commit that tears down is not finished while the teardown is still to run', async () => {
  await addJigs(db);
  await addNodes(db, ['machine']);
  const scripts = {
    'scripts/motd/10-write': '#!/bin/sh\n',
    'scripts/motd/teardown/10-remove': '#!/bin/sh\n',
  };
  const folder = writeBarclamp({ 'barclamp.yml': manifest, ...scripts });
  await importBarclamp(db, { folder, actor: ACTOR });
  const { id: deploymentId } = await addDeployment(db, 'play');
  const bindings = [{ role: 'motd', node: 'machine' }];

  const first = await proposeSnapshot(db, { deploymentId, actor: ACTOR });
  await bindRoles(db, { snapshotId: first.id, actor: ACTOR, bindings });
  await commitSnapshot(db, { snapshotId: first.id, actor: ACTOR });
  await makeActive(db, ['motd@machine']);
  expect(await readProgress(db, first.id)).toMatchObject({ total: 1, done: 1, finished: true });

  const second = await proposeSnapshot(db, { deploymentId, actor: ACTOR });
  await unbindRoles(db, { snapshotId: second.id, actor: ACTOR, bindings });
  await commitSnapshot(db, { snapshotId: second.id, actor: ACTOR });
  expect(await readProgress(db, second.id)).toMatchObject({ total: 1, done: 0, finished: false });
});
