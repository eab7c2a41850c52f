import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { needNode, reportHello, reportInventory } from '@hostwright/engine';
import { makeNode } from './make-node.ts';

test('a boot id of an earlier boot changes nothing, however often it comes', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const { id: nodeId } = await makeNode(db, 'n');
  expect(await reportHello(db, { nodeId, bootId: 'one' })).toEqual({
    ok: true,
    epoch: 1,
    newBoot: true,
  });
  expect(await reportHello(db, { nodeId, bootId: 'one' })).toEqual({
    ok: true,
    epoch: 1,
    newBoot: false,
  });
  expect(await reportHello(db, { nodeId, bootId: 'two' })).toEqual({
    ok: true,
    epoch: 2,
    newBoot: true,
  });
  const before = await needNode(db, nodeId);
  expect(await reportHello(db, { nodeId, bootId: 'one' })).toEqual({ ok: false, reason: 'stale' });
  const facts = { cpu: { model: 'forged' } };
  expect(await reportInventory(db, { nodeId, bootId: 'one', facts })).toMatchObject({
    ok: false,
    reason: 'stale',
  });
  expect(await needNode(db, nodeId)).toEqual(before);
  await expect(reportHello(db, { nodeId, bootId: 'x\ny' })).rejects.toMatchObject({
    code: 'bad_input',
  });
});

test('absurd facts are cut to size, and control characters never get in', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const { id: nodeId } = await makeNode(db, 'n');
  await reportHello(db, { nodeId, bootId: 'b' });
  let deep: object = {};
  for (let n = 0; n < 100; n++) deep = { deep };
  const facts = JSON.parse(
    JSON.stringify({
      dmi: { system_serial: 'S\u0000\u001b[31mN$(id)\n1', product: 'p'.repeat(1_000_000) },
      deep,
      many: Array.from({ length: 10_000 }, (_, n) => n),
    }).replace('"deep"', '"__proto__":{"x":1},"deep"'),
  ) as object;
  expect(await reportInventory(db, { nodeId, bootId: 'b', facts })).toMatchObject({
    ok: true,
    changed: true,
  });
  const { discovery } = await needNode(db, nodeId);
  expect(discovery['dmi']).toEqual({ system_serial: 'S[31mN$(id)1', product: 'p'.repeat(4096) });
  expect(discovery['many']).toHaveLength(2000);
  expect(Object.keys(discovery).toSorted()).toEqual(['deep', 'dmi', 'many']);
  expect(await reportInventory(db, { nodeId, bootId: 'b', facts })).toMatchObject({
    ok: true,
    changed: false,
  });
  const huge = Object.fromEntries(
    Array.from({ length: 1000 }, (_, n) => [`k${n}`, 'x'.repeat(4000)]),
  );
  expect(await reportInventory(db, { nodeId, bootId: 'b', facts: huge })).toMatchObject({
    reason: 'refused',
    refusals: [{ code: 'too_large' }],
  });
});
