import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import {
  judgePresence,
  needNode,
  recordPresence,
  reportHello,
  setNodeAlive,
  transaction,
  type Db,
} from '@hostwright/engine';
import { makeNode } from './make-node.ts';

const pass = (db: Db, seconds: number) =>
  db.transaction().execute(async (tx) => {
    // Time goes by for the judge: everything it remembers becomes older.
    await tx
      .updateTable('setting')
      .set((row) => ({
        value: row.cast<string>(
          row.val(`"${new Date(Date.now() - seconds * 1000).toISOString()}"`),
          'jsonb',
        ),
      }))
      .where('key', '=', 'presence.judged')
      .execute();
  });
const silence = (db: Db, nodeId: number, seconds: number) =>
  db
    .updateTable('node_presence')
    .set({ last_seen_at: new Date(Date.now() - seconds * 1000) })
    .where('node_id', '=', nodeId)
    .execute();

test('race C19: a node dies after several silent windows, not after one, and returns when heard of', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const { id: quiet } = await makeNode(db, 'quiet');
  const { id: fine } = await makeNode(db, 'fine');
  for (const nodeId of [quiet, fine]) await reportHello(db, { nodeId, bootId: 'b' });
  expect(await judgePresence(db)).toMatchObject({ judged: false }); // the first call only opens a window
  await silence(db, quiet, 40);
  for (const expected of [[], [], [quiet]]) {
    await recordPresence(db, [fine]);
    await pass(db, 31);
    expect(await judgePresence(db)).toEqual({ judged: true, died: expected, returned: [] });
    expect(await judgePresence(db)).toMatchObject({ judged: false }); // same window
  }
  expect(await needNode(db, quiet)).toMatchObject({
    alive: false,
    aliveReason: expect.stringMatching(/^silent since /),
  });
  expect(await needNode(db, fine)).toMatchObject({ alive: true });
  await recordPresence(db, [quiet]);
  expect(await judgePresence(db)).toMatchObject({ returned: [quiet] });
});

test('downtime of all servers kills nobody', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const { id } = await makeNode(db, 'n');
  await reportHello(db, { nodeId: id, bootId: 'b' });
  await judgePresence(db);
  await db.updateTable('node_presence').set({ missed: 2 }).execute();
  await silence(db, id, 3600);
  await pass(db, 3600);
  expect(await judgePresence(db)).toMatchObject({ judged: false, died: [] });
  await recordPresence(db, []); // a server listens again
  await pass(db, 31);
  expect(await judgePresence(db)).toMatchObject({ judged: true, died: [] });
  expect(await needNode(db, id)).toMatchObject({ alive: true });
});

test('workers that go on judging while no server listens kill nobody', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const { id } = await makeNode(db, 'n');
  await reportHello(db, { nodeId: id, bootId: 'b' });
  await recordPresence(db, [id]);
  await judgePresence(db);
  await silence(db, id, 3600);
  await db
    .updateTable('setting')
    .set({ value: JSON.stringify(new Date(Date.now() - 3600_000)) })
    .where('key', '=', 'presence.heard')
    .execute();
  for (let window = 0; window < 6; window++) {
    await pass(db, 31);
    expect(await judgePresence(db)).toMatchObject({ judged: false, died: [] });
  }
  // it listens again: silence counts from now on
  for (const died of [[], [], [id]]) {
    await recordPresence(db, []);
    await pass(db, 31);
    expect(await judgePresence(db)).toMatchObject({ judged: true, died });
  }
});

test('a node held dead by an install is not brought back by the last polls of its old system', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const { id: nodeId } = await makeNode(db, 'n');
  await reportHello(db, { nodeId, bootId: 'old' });
  await transaction(db, (tx) =>
    setNodeAlive(tx, { nodeId, alive: false, reason: 'installing', hold: true }),
  );
  await recordPresence(db, [nodeId]);
  await judgePresence(db);
  await reportHello(db, { nodeId, bootId: 'old' });
  await reportHello(db, { nodeId, bootId: 'installer' });
  expect(await needNode(db, nodeId)).toMatchObject({
    alive: false,
    aliveReason: 'installing',
    bootEpoch: 2,
  });
  await transaction(db, (tx) => setNodeAlive(tx, { nodeId, alive: true, reason: '' }));
  expect(await needNode(db, nodeId)).toMatchObject({ alive: true });
});
