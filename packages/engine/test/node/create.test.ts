import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { createNode, createNodes } from '@hostwright/engine';

const UUID = '4c4c4544-0051-3010-8052-b4c04f4d3532';

test('a node with bad fields is refused with every reason at once and leaves nothing', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const refused = await createNode(db, {
    name: '12345',
    labels: { 'Bad Key': 'x', rack: 7 },
    macs: ['not a mac', 'ff:ff:ff:ff:ff:ff'],
    hint: { text: 'a\u0007b' },
    bootenv: '../etc',
    actor: 'test',
  });
  expect(refused.ok).toBe(false);
  if (refused.ok) return;
  expect(refused.refusals.map((refusal) => refusal.path).toSorted()).toEqual(
    ['bootenv', 'hint', 'labels/Bad Key', 'labels/rack', 'macs', 'macs', 'name'].toSorted(),
  );
  expect(await createNode(db, { name: 'x'.repeat(1_000_000), actor: 'test' })).toMatchObject({
    ok: false,
    refusals: [{ path: 'name' }],
  });
  expect(await db.selectFrom('node').select('id').execute()).toEqual([]);
});

test('a taken name, address or UUID names the node that has it', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await createNode(db, { name: 'a', macs: ['02:00:00:00:00:01'], systemUuid: UUID, actor: 'test' });
  const refused = await createNode(db, {
    name: 'a',
    macs: ['02-00-00-00-00-01'],
    systemUuid: UUID.toUpperCase(),
    deployment: 'nowhere',
    actor: 'test',
  });
  expect(refused).toMatchObject({
    ok: false,
    refusals: [
      { code: 'not_found', path: 'deployment' },
      { code: 'conflict', path: 'macs', message: '02:00:00:00:00:01 belongs to node a' },
      { code: 'name_taken', path: 'name' },
      { code: 'conflict', path: 'systemUuid' },
    ],
  });
});

test('ten thousand nodes are made by one call, or none of them', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const nodes = Array.from({ length: 10_000 }, (_, n) => ({ name: `m${n}` }));
  const half = await createNodes(db, {
    nodes: [...nodes.slice(0, 50), { name: 'm7' }],
    actor: 't',
  });
  expect(half).toMatchObject({ ok: false, refusals: [{ path: '50/name', code: 'name_taken' }] });
  const all = await createNodes(db, { nodes, actor: 'test' });
  expect(all.ok && all.nodes.map((node) => node.name)).toEqual(nodes.map((node) => node.name));
  const lanes = await db
    .selectFrom('node_lane')
    .select((row) => row.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  expect(lanes.n).toBe(20_000);
});

test('two requests that make the same node at once: one wins, one is told who has the name', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => createNode(db, { name: 'same', actor: 'test' })),
  );
  expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
  for (const answer of answers)
    if (!answer.ok) expect(answer.refusals[0]).toMatchObject({ code: 'name_taken' });
});
