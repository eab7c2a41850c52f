import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import {
  adoptDeletedNode,
  adoptNode,
  createNode,
  createNodes,
  deleteNode,
  ensureAdminNode,
  findNode,
  judgePresence,
  listNodeOffers,
  needNode,
  readEvents,
  recordPresence,
  reportHello,
  reportInventory,
  sequenceEvents,
  setNodeAlive,
  START,
  transaction,
  updateNode,
  type AdoptOptions,
  type Db,
  type NodeRecord,
} from '@hostwright/engine';

const made = async (db: Db, name: string, macs: string[] = []): Promise<NodeRecord> => {
  const created = await createNode(db, { name, macs, actor: 'test' });
  if (!created.ok) throw new Error(JSON.stringify(created.refusals));
  return created.node;
};

const adopt = (db: Db, options: AdoptOptions) => transaction(db, (tx) => adoptNode(tx, options));

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

test('one machine is one node, whichever card it boots from and however many requests it sends', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const machine = {
    hostname: 'Blade7',
    systemUuid: UUID,
    serial: 'QX0R2M1',
    macs: ['02:00:00:00:00:0a'],
  };
  const adoptWith = (macs: string[], more: object = {}) =>
    adopt(db, { machine: { ...machine, ...more, macs }, actor: 'join' });
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => adoptWith([`02:00:00:00:00:0${n % 2 === 0 ? 'a' : 'b'}`])),
  );
  const ids = new Set(answers.map((answer) => (answer.ok ? answer.node.id : 0)));
  expect(ids.size).toBe(1);
  const again = await adoptWith(['02:00:00:00:00:0b'], {
    systemUuid: undefined,
    serial: undefined,
  });
  expect(again).toMatchObject({ ok: true, how: 'known', node: { name: 'blade7' } });
  const bySerial = await adoptWith(['02:00:00:00:00:0c'], { systemUuid: 'Not Settable' });
  expect(bySerial).toMatchObject({ ok: true, how: 'known' });
  expect((await needNode(db, 'blade7')).macs).toEqual([
    '02:00:00:00:00:0a',
    '02:00:00:00:00:0b',
    '02:00:00:00:00:0c',
  ]);
});

test('boards whose maker filled in nothing do not become one node', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const board = (mac: string) =>
    adopt(db, {
      machine: {
        hostname: 'localhost',
        systemUuid: '03000200-0400-0500-0006-000700080009',
        serial: 'To be filled by O.E.M.',
        macs: [mac, '00:00:00:00:00:00'],
      },
      actor: 'join',
    });
  expect(await board('02:00:00:00:01:01')).toMatchObject({
    how: 'created',
    node: { name: 'd02-00-00-00-01-01' },
  });
  expect(await board('02:00:00:00:01:02')).toMatchObject({
    how: 'created',
    node: { name: 'd02-00-00-00-01-02' },
  });
  const nothing = await adopt(db, {
    machine: { macs: [] },
    actor: 'join',
  });
  expect(nothing).toMatchObject({ ok: false, refusals: [{ code: 'bad_input' }] });
});

test('a hostile host name becomes no name', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  for (const [n, hostname] of [
    '$(reboot)',
    "a';drop table node;--",
    '../../etc',
    'x\u001b[31m',
    '9',
  ].entries()) {
    const mac = `02:00:00:00:02:0${n}`;
    const adopted = await adopt(db, {
      machine: { hostname, macs: [mac] },
      actor: 'join',
    });
    expect(adopted).toMatchObject({ ok: true, node: { name: `d${mac.replaceAll(':', '-')}` } });
  }
});

test('a node that claims the UUID of another gets neither its place nor its name', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await adopt(db, {
    machine: { hostname: 'good', systemUuid: UUID, macs: ['02:00:00:00:03:01'] },
    actor: 'j',
  });
  const liar = await made(db, 'liar', ['02:00:00:00:03:02']);
  await reportHello(db, { nodeId: liar.id, bootId: 'b1' });
  const facts = { dmi: { system_uuid: UUID }, nics: [{ mac: '02:00:00:00:03:01' }] };
  for (let n = 0; n < 3; n++)
    await reportInventory(db, { nodeId: liar.id, bootId: 'b1', facts: { ...facts, n } });
  expect(await needNode(db, 'liar')).toMatchObject({
    systemUuid: null,
    macs: ['02:00:00:00:03:02'],
  });
  await sequenceEvents(db);
  const { events } = await readEvents(db, { after: START, filter: { kinds: ['node.conflict'] } });
  expect(events).toHaveLength(1);
});

test("a deleted node's machine is offered, waits for a person, and then is the node it was", async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const machine = { hostname: 'old', systemUuid: UUID, macs: ['02:00:00:00:04:01'] };
  const first = await adopt(db, { machine, actor: 'j' });
  const id = first.ok ? first.node.id : 0;
  expect(await deleteNode(db, { node: 'old', actor: 'anna' })).toEqual({ ok: true, abandoned: 0 });
  expect(await findNode(db, 'old')).toBeUndefined();
  expect(await listNodeOffers(db)).toEqual([]);
  await made(db, 'old');
  for (let n = 0; n < 3; n++)
    expect(await adopt(db, { machine, actor: 'j' })).toMatchObject({ how: 'offered' });
  expect(await listNodeOffers(db)).toMatchObject([{ id, name: 'old' }]);
  expect(await adoptDeletedNode(db, { node: 'old', actor: 'anna' })).toMatchObject({
    id,
    name: 'old-2',
  });
  expect(await listNodeOffers(db)).toEqual([]);
  expect(await adopt(db, { machine, actor: 'j' })).toMatchObject({ how: 'known', node: { id } });
  await expect(adoptDeletedNode(db, { node: 'old', actor: 'anna' })).rejects.toMatchObject({
    code: 'not_found',
  });
  await sequenceEvents(db);
  const { events } = await readEvents(db, {
    after: START,
    filter: { kinds: ['node.offered', 'node.adopted'] },
  });
  expect(events.map((event) => event.kind)).toEqual(['node.offered', 'node.adopted']);
});

test('race C11: two people who change different hints both win; a stale revision is refused', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const node = await made(db, 'n');
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
  await made(db, 'taken');
  expect(await updateNode(db, { node: 'n', changes: { name: 'taken' }, actor: 'b' })).toMatchObject(
    {
      ok: false,
      refusals: [{ code: 'name_taken' }],
    },
  );
  const cleared = await updateNode(db, { node: 'n', changes: { hint: { k0: null } }, actor: 'b' });
  expect(cleared.ok && Object.keys(cleared.node.hint)).toHaveLength(9);
});

test('a boot id of an earlier boot changes nothing, however often it comes', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const { id: nodeId } = await made(db, 'n');
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
  const { id: nodeId } = await made(db, 'n');
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
  const { id: quiet } = await made(db, 'quiet');
  const { id: fine } = await made(db, 'fine');
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
  const { id } = await made(db, 'n');
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
  const { id } = await made(db, 'n');
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
  const { id: nodeId } = await made(db, 'n');
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
