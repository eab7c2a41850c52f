import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import {
  adoptDeletedNode,
  adoptNode,
  deleteNode,
  findNode,
  listNodeOffers,
  needNode,
  readEvents,
  reportHello,
  reportInventory,
  sequenceEvents,
  START,
  transaction,
  type AdoptOptions,
  type Db,
} from '@hostwright/engine';
import { makeNode } from './make-node.ts';

const adopt = (db: Db, options: AdoptOptions) => transaction(db, (tx) => adoptNode(tx, options));

const UUID = '4c4c4544-0051-3010-8052-b4c04f4d3532';

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
  const liar = await makeNode(db, 'liar', ['02:00:00:00:03:02']);
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
  await makeNode(db, 'old');
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
