import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { deleteNode, ensureAdminNode, needNode, updateNode } from '@hostwright/engine';
import { makeNode } from './make-node.ts';

test('race C11: two people who change different hints both win; a stale revision is refused', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const node = await makeNode(db, 'n');
  await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      updateNode(db, { node: 'n', changes: { hint: { [`k${n}`]: n } }, actor: 'anna' }),
    ),
  );
  const now = await needNode(db, 'n');
  expect(Object.keys(now.hint)).toHaveLength(10);
  await expect(
    updateNode(db, {
      node: 'n',
      revision: node.revision,
      changes: { description: 'x' },
      actor: 'b',
    }),
  ).rejects.toMatchObject({ code: 'precondition_failed' });
  await makeNode(db, 'taken');
  expect(await updateNode(db, { node: 'n', changes: { name: 'taken' }, actor: 'b' })).toMatchObject(
    {
      ok: false,
      refusals: [{ code: 'name_taken' }],
    },
  );
  const cleared = await updateNode(db, { node: 'n', changes: { hint: { k0: null } }, actor: 'b' });
  expect(cleared.ok && Object.keys(cleared.node.hint)).toHaveLength(9);
});

test('there is one admin node, it stays available, and it is not deleted', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const nodes = await Promise.all(
    [1, 2, 3].map(() => ensureAdminNode(db, { hostname: 'localhost', actor: 'up' })),
  );
  expect(new Set(nodes.map((node) => node.id)).size).toBe(1);
  expect(nodes[0]).toMatchObject({ name: 'admin', admin: true });
  expect(await deleteNode(db, { node: 'admin', abandon: true, actor: 'a' })).toMatchObject({
    refusals: [{ code: 'in_use' }],
  });
  expect(
    await updateNode(db, { node: 'admin', changes: { available: false }, actor: 'a' }),
  ).toMatchObject({ ok: false });
});
