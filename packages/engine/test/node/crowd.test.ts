/** What many machines say at once ends as if each had said it alone. */
import { noopJig } from '@hostwright/jigs';
import { createTestDatabase, eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  adoptNode,
  createToken,
  deleteNode,
  joinNewNodes,
  readNodeTokens,
  hashToken,
  reportHello,
  reportHellos,
  reportInventories,
  reportInventory,
  SILENT,
  startWorker,
  transaction,
  type AdoptOptions,
  type Db,
} from '@hostwright/engine';
import { addNodes, importRoles } from '../plan/fixture.ts';

const adopt = (db: Db, options: AdoptOptions) => transaction(db, (tx) => adoptNode(tx, options));

const mac = (number: number): string => `02:00:00:00:00:${number.toString(16).padStart(2, '0')}`;
const machine = (number: number) => ({
  hostname: `m${number}`,
  systemUuid: `4c4c4544-0051-3010-8052-0000000000${String(number).padStart(2, '0')}`,
  serial: `SERIAL${number}`,
  macs: [mac(number)],
});

const stateOf = async (db: Db, node: string): Promise<string | undefined> => {
  const { rows } = await sql<{ state: string }>`
    select w.state from noderole w join node n on n.id = w.node_id where n.name = ${node}`.execute(
    db,
  );
  return rows[0]?.state;
};

test('of machines that join at once only the plainly new come in together, each with its own token and roles', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await importRoles(db, [{ name: 'learn', flags: ['discovery'] }]);
  const { secret } = await createToken(db, { kind: 'join', name: 'rack', userId: null, uses: 10 });
  await adopt(db, { machine: machine(1), actor: 'test' });
  await adopt(db, { machine: machine(2), actor: 'test' });
  await deleteNode(db, { node: 'm2', actor: 'test' });
  const asked = [
    { token: secret, machine: machine(10) },
    { token: secret, machine: machine(11) },
    { token: 'hwj_wrong', machine: machine(12) },
    { token: secret, machine: { ...machine(13), serial: 'SERIAL1' } },
    { token: secret, machine: { ...machine(14), macs: [mac(14), mac(2)] } },
    { token: secret, machine: { ...machine(15), hostname: 'm1' } },
    { token: secret, machine: { ...machine(16), macs: [mac(11)] } },
    { token: secret, machine: { macs: ['no address'] } },
  ];
  const joined = await joinNewNodes(db, asked);
  expect(joined.map((answer) => answer?.name)).toEqual(['m10', 'm11', ...Array(6).fill(undefined)]);
  const tokens = await readNodeTokens(
    db,
    joined.flatMap((answer) => (answer ? [hashToken(answer.token)] : [])),
  );
  expect(
    tokens.map(({ nodeId, name }) => ({ nodeId, name })).toSorted((a, b) => a.nodeId - b.nodeId),
  ).toEqual(
    joined.flatMap((answer) => (answer ? [{ nodeId: answer.nodeId, name: answer.name }] : [])),
  );
  expect(await stateOf(db, 'm10')).toBe('todo');
  expect(await stateOf(db, 'm11')).toBe('todo');
  const { rows } = await sql`select uses_left from token where kind = 'join'`.execute(db);
  expect(rows).toEqual([{ uses_left: 8 }]);
  expect(
    await db
      .selectFrom('node')
      .select('name')
      .where('name', 'like', 'm1_')
      .orderBy('name')
      .execute(),
  ).toEqual([{ name: 'm10' }, { name: 'm11' }]);
});

test('a token with fewer uses than machines lets nobody in together, and keeps its uses', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const { secret } = await createToken(db, { kind: 'join', name: 'few', userId: null, uses: 2 });
  const asked = [1, 2, 3].map((number) => ({ token: secret, machine: machine(number) }));
  expect(await joinNewNodes(db, asked)).toEqual([undefined, undefined, undefined]);
  expect(await db.selectFrom('node').select('id').execute()).toEqual([]);
  const { rows } = await sql`select uses_left from token where kind = 'join'`.execute(db);
  expect(rows).toEqual([{ uses_left: 2 }]);
});

test('hellos said together open epochs, refuse old boots and learn anew, as alone', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await importRoles(db, [{ name: 'learn', flags: ['discovery'] }]);
  const [same = 0, rebooted = 0, stale = 0, held = 0] = await addNodes(db, [
    'same',
    'rebooted',
    'stale',
    'held',
  ]);
  for (const nodeId of [same, rebooted, stale]) await reportHello(db, { nodeId, bootId: 'one' });
  await reportHello(db, { nodeId: stale, bootId: 'two' });
  await sql`update node set alive_hold = 'installing' where id = ${held}`.execute(db);
  const worker = await startWorker({ database, jigs: [noopJig], log: SILENT, name: 'w1' });
  await eventually(
    async () =>
      (await stateOf(db, 'rebooted')) === 'active' && (await stateOf(db, 'same')) === 'active',
  );
  await worker.stop();
  await sql`update node set alive = false, alive_reason = 'silent' where id = ${same}`.execute(db);
  const answers = await reportHellos(db, [
    { nodeId: same, bootId: 'one' },
    { nodeId: rebooted, bootId: 'two' },
    { nodeId: stale, bootId: 'one' },
    { nodeId: held, bootId: 'one' },
    { nodeId: 999_999, bootId: 'one' },
  ]);
  expect([...answers]).toEqual(
    expect.arrayContaining([
      [same, { ok: true, epoch: 1, newBoot: false }],
      [rebooted, { ok: true, epoch: 2, newBoot: true }],
      [stale, { ok: false, reason: 'stale' }],
      [held, { ok: true, epoch: 1, newBoot: true }],
    ]),
  );
  expect(answers.size).toBe(4);
  expect([await stateOf(db, 'same'), await stateOf(db, 'rebooted')]).toEqual(['active', 'todo']);
  const { rows } =
    await sql`select name, alive, alive_reason, boot_id from node order by id`.execute(db);
  expect(rows).toEqual([
    { name: 'same', alive: true, alive_reason: '', boot_id: 'one' },
    { name: 'rebooted', alive: true, alive_reason: '', boot_id: 'two' },
    { name: 'stale', alive: true, alive_reason: '', boot_id: 'two' },
    { name: 'held', alive: false, alive_reason: expect.anything(), boot_id: 'one' },
  ]);
});

test('inventories told together are stored, and what they change is reconsidered, as alone', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await importRoles(db, [{ name: 'learn', flags: ['discovery'], wants: ['cpus'] }], {
    attribs: [{ name: 'cpus', path: 'cpu/count' }],
  });
  const [grown = 0, quiet = 0, stale = 0, other = 0] = await addNodes(db, [
    'grown',
    'quiet',
    'stale',
    'other',
  ]);
  for (const nodeId of [grown, quiet, stale, other]) {
    await reportHello(db, { nodeId, bootId: 'one' });
    await reportInventory(db, { nodeId, bootId: 'one', facts: { cpu: { count: 4 } } });
  }
  const worker = await startWorker({ database, jigs: [noopJig], log: SILENT, name: 'w1' });
  await eventually(async () => {
    const states = await Promise.all(
      ['grown', 'quiet', 'stale', 'other'].map((name) => stateOf(db, name)),
    );
    return states.every((state) => state === 'active');
  });
  await worker.stop();
  const answers = await reportInventories(db, [
    { nodeId: grown, bootId: 'one', facts: { cpu: { count: 8 }, disks: [{ serial: 'd1' }] } },
    { nodeId: quiet, bootId: 'one', facts: { cpu: { count: 4 } } },
    { nodeId: stale, bootId: 'zero', facts: { cpu: { count: 9 } } },
    // adds a card to the machine: locked and learned alone
    { nodeId: other, bootId: 'one', facts: { cpu: { count: 9 }, nics: [{ mac: mac(9) }] } },
  ]);
  expect(new Map(answers)).toEqual(
    new Map([
      [grown, { ok: true, changed: true, reconsidered: 1 }],
      [quiet, { ok: true, changed: false, reconsidered: 0 }],
      [stale, { ok: false, reason: 'stale' }],
    ]),
  );
  const states = await Promise.all(
    ['grown', 'quiet', 'stale', 'other'].map((name) => stateOf(db, name)),
  );
  expect(states).toEqual(['todo', 'active', 'active', 'active']);
  const { rows } = await sql<{ discovery: unknown; plan_revision: number }>`
    select discovery, plan_revision from node order by id`.execute(db);
  expect(rows.map((row) => row.discovery)).toEqual([
    { cpu: { count: 8 }, disks: [{ serial: 'd1' }] },
    { cpu: { count: 4 } },
    { cpu: { count: 4 } },
    { cpu: { count: 4 } },
  ]);
  expect(rows[0]?.plan_revision).toBe((rows[1]?.plan_revision ?? 0) + 1);
});
