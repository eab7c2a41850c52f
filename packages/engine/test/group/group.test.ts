import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import {
  changeGroupMembers,
  createGroup,
  createNodes,
  deleteGroup,
  deleteNode,
  findGroup,
  listGroups,
  updateGroup,
} from '@hostwright/engine';

test('nodes are put into groups and taken out, all or none', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await createNodes(db, { nodes: ['a', 'b', 'c'].map((name) => ({ name })), actor: 'test' });
  expect(await createGroup(db, { name: 'rack-1', category: 'rack', actor: 'anna' })).toMatchObject({
    ok: true,
    group: { name: 'rack-1', nodes: 0 },
  });
  expect(
    await changeGroupMembers(db, {
      group: 'rack-1',
      add: ['a', 'nobody', '999999'],
      actor: 'anna',
    }),
  ).toMatchObject({
    ok: false,
    refusals: [{ path: 'nobody' }, { path: '999999' }],
  });
  expect(await findGroup(db, 'rack-1')).toMatchObject({ nodes: 0, revision: 1 });
  const change = { group: 'rack-1', add: ['a', 'b'], actor: 'anna' };
  expect(await changeGroupMembers(db, change)).toMatchObject({ group: { nodes: 2, revision: 2 } });
  expect(await changeGroupMembers(db, change)).toMatchObject({ group: { nodes: 2, revision: 2 } });
  expect(
    await changeGroupMembers(db, { group: 'rack-1', remove: ['a'], actor: 'anna' }),
  ).toMatchObject({ group: { nodes: 1 } });
  await deleteNode(db, { node: 'b', actor: 'anna' });
  expect(await findGroup(db, 'rack-1')).toMatchObject({ nodes: 0 });
});

test('a group has a name of its own and a revision', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await createGroup(db, { name: 'one', actor: 'a' });
  await createGroup(db, { name: 'two', actor: 'a' });
  expect(await createGroup(db, { name: 'one', actor: 'a' })).toMatchObject({
    refusals: [{ code: 'name_taken' }],
  });
  expect(await createGroup(db, { name: 'No', category: 'X Y', actor: 'a' })).toMatchObject({
    refusals: [{ path: 'name' }, { path: 'category' }],
  });
  expect(
    await updateGroup(db, { group: 'two', changes: { name: 'one' }, actor: 'a' }),
  ).toMatchObject({ refusals: [{ code: 'name_taken' }] });
  await expect(
    updateGroup(db, { group: 'two', revision: 9, changes: {}, actor: 'a' }),
  ).rejects.toMatchObject({ code: 'precondition_failed' });
  await deleteGroup(db, { group: 'one', actor: 'a' });
  expect((await listGroups(db)).map((group) => group.name)).toEqual(['two']);
});

test('of two who change the revision they both read, one is told that it has moved', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await createGroup(db, { name: 'rack-1', actor: 'anna' });
  for (let revision = 1; revision <= 10; revision++) {
    const both = await Promise.allSettled(
      ['one', 'two'].map((description) =>
        updateGroup(db, { group: 'rack-1', revision, changes: { description }, actor: 'anna' }),
      ),
    );
    expect(both.filter((each) => each.status === 'rejected')).toMatchObject([
      { reason: { code: 'precondition_failed' } },
    ]);
  }
});
