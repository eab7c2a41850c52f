import { transaction } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addressCandidates,
  allocateAddress,
  checkNetwork,
  createNetwork,
  releaseAddresses,
  reserveAddress,
} from '../src/index.ts';
import { readAddress, readSubnet, writeAddress } from '../src/address/number.ts';
import { addNetwork, addNode, ADMIN_NETWORK } from './fixtures.ts';

let database: TestDatabase;
let ranges: Readonly<Record<string, number>>;
beforeAll(async () => {
  database = await createTestDatabase();
  ranges = await addNetwork(database, ADMIN_NETWORK);
});
afterAll(async () => database.close());

const rangeId = (name: string): number => ranges[name] ?? 0;
const allocate = (nodeId: number, options: { hint?: string; range?: number } = {}) =>
  transaction(database.db, (tx) =>
    allocateAddress(tx, {
      nodeId,
      rangeId: options.range ?? rangeId('host'),
      ...(options.hint !== undefined && { hint: options.hint }),
    }),
  );

test('an address written and read again is the same address', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const number = readAddress(text);
      if (number === null) throw new Error(text);
      const written = writeAddress(number);
      expect(new URL(`http://[${written}]/`).hostname).toBe(new URL(`http://[${text}]/`).hostname);
      expect(readAddress(written)).toEqual(number);
    }),
  );
  expect(readAddress('10.1.2.3%0')).toBeNull();
  expect(readSubnet('10.0.0.0/33')).toBeNull();
});

test('an operator hint outside the range is refused, never replaced', () => {
  const range = { name: 'host', subnet: '10.0.0.0/24', first: '10.0.0.10', last: '10.0.0.20' };
  expect(addressCandidates(range, { hint: '10.0.0.9' })).toMatchObject({ ok: false });
  expect(addressCandidates(range, { hint: 'x; reboot' })).toMatchObject({ ok: false });
  expect(
    addressCandidates(range, { like: { address: '172.16.0.15', subnet: '172.16.0.0/16' } }),
  ).toMatchObject({
    ok: true,
    candidates: [{ address: '10.0.0.15' }],
  });
});

test('every mistake of a network is named at once', async () => {
  const wrong = checkNetwork({
    name: 'Bad Name',
    conduit: '1g0,10g1',
    vlan: 5000,
    ranges: [
      { name: 'a', subnet: '10.0.0.0/24', first: '10.0.0.0', last: '10.0.1.5' },
      { name: 'b', subnet: '10.0.0.0/24', first: '10.0.0.9', last: '10.0.0.8' },
    ],
  });
  expect(wrong.map((refusal) => refusal.path)).toEqual(
    expect.arrayContaining([
      'name',
      'vlan',
      'conduit',
      'ranges/0/first',
      'ranges/0/last',
      'ranges/1/last',
    ]),
  );
  const overlap = await database.db.transaction().execute((tx) =>
    createNetwork(tx, {
      name: 'other',
      ranges: [
        { name: 'x', subnet: '192.168.77.0/25', first: '192.168.77.50', last: '192.168.77.60' },
      ],
    }),
  );
  expect(overlap).toMatchObject({
    refusals: [
      { message: expect.stringContaining('range x overlaps range host of network admin') },
    ],
  });
  // two that are made at once see nothing of each other
  const atOnce = sql`
    insert into network_range (network_id, name, kind, subnet, first, last)
    select id, 'y', 'host', '192.168.77.0/25', '192.168.77.50', '192.168.77.60' from network limit 1`;
  await expect(atOnce.execute(database.db)).rejects.toThrow(/network_range_no_overlap/);
});

test('race C15: twenty callers for one node get one address', async () => {
  const nodeId = await addNode(database, { name: 'c15' });
  const results = await Promise.all(Array.from({ length: 20 }, () => allocate(nodeId)));
  const addresses = new Set(
    results.map((result) => (result.ok ? result.allocation.address : 'refused')),
  );
  expect(addresses.size).toBe(1);
  expect(results.filter((result) => result.ok && result.allocation.fresh)).toHaveLength(1);
});

test('race C16: nodes that ask at once never share an address, whatever mask it is written with', async () => {
  const nodes = await Promise.all(
    Array.from({ length: 30 }, (_, index) => addNode(database, { name: `c16-${index}` })),
  );
  const results = await Promise.all(nodes.map((nodeId) => allocate(nodeId)));
  const addresses = results.map((result) => (result.ok ? result.allocation.address : 'refused'));
  expect(new Set(addresses).size).toBe(30);
  const masked = database.db
    .insertInto('allocation')
    .values({ range_id: rangeId('host'), address: `${addresses[0]}/24` })
    .execute();
  await expect(masked).rejects.toThrow(/allocation_|outside its range/);
});

test('the router, reservations and quarantined addresses are not handed out', async () => {
  const tiny = await addNetwork(database, {
    name: 'tiny',
    quarantineSeconds: 3600,
    ranges: [{ name: 'host', subnet: '10.9.0.0/29', first: '10.9.0.1', last: '10.9.0.4' }],
    routers: [{ address: '10.9.0.1' }],
  });
  const range = tiny['host'] ?? 0;
  await transaction(database.db, (tx) =>
    reserveAddress(tx, { rangeId: range, address: '10.9.0.3', note: 'printer' }),
  );
  const [one, two, three] = await Promise.all(
    ['q1', 'q2', 'q3'].map((name) => addNode(database, { name })),
  );
  if (one === undefined || two === undefined || three === undefined) throw new Error('nodes');
  expect(await allocate(one, { range })).toMatchObject({
    ok: true,
    allocation: { address: '10.9.0.2' },
  });
  expect(await transaction(database.db, (tx) => releaseAddresses(tx, { nodeId: one }))).toEqual([
    '10.9.0.2',
  ]);
  expect(await allocate(two, { range })).toMatchObject({
    ok: true,
    allocation: { address: '10.9.0.4' },
  });
  expect(await allocate(three, { range })).toMatchObject({
    ok: false,
    refusals: [{ code: 'range_full' }],
  });
  expect(await allocate(three, { range, hint: '10.9.0.2' })).toMatchObject({
    ok: false,
    refusals: [{ code: 'address_taken' }],
  });
  await database.db
    .updateTable('allocation')
    .set({ quarantine_until: new Date(0) })
    .where('address', '=', '10.9.0.2')
    .execute();
  expect(await allocate(three, { range })).toMatchObject({
    ok: true,
    allocation: { address: '10.9.0.2' },
  });
});

test('a node keeps its host part in networks of the same group', async () => {
  const bmc = await addNetwork(database, {
    name: 'bmc',
    category: 'bmc',
    group: 'house',
    ranges: [{ name: 'host', subnet: '10.8.0.0/24', first: '10.8.0.10', last: '10.8.0.99' }],
  });
  const nodeId = await addNode(database, { name: 'grouped' });
  expect(await allocate(nodeId, { hint: '192.168.77.77' })).toMatchObject({ ok: true });
  expect(await allocate(nodeId, { range: bmc['host'] ?? 0 })).toMatchObject({
    ok: true,
    allocation: { address: '10.8.0.77', why: 'same host part' },
  });
});

test('an IPv6 address follows the name of the node', async () => {
  const six = await addNetwork(database, {
    name: 'six',
    ranges: [
      { name: 'host', subnet: 'fd77::/64', first: 'fd77::10', last: 'fd77::ffff:ffff:ffff:fff0' },
    ],
  });
  const nodeId = await addNode(database, { name: 'six' });
  const first = await allocate(nodeId, { range: six['host'] ?? 0 });
  expect(first).toMatchObject({ ok: true, allocation: { why: 'name' } });
});

test('every change of an address moves the boot version of its node on', async () => {
  const nodeId = await addNode(database, { name: 'versions' });
  const version = async () =>
    (
      await database.db
        .selectFrom('node_boot')
        .select('version')
        .where('node_id', '=', nodeId)
        .executeTakeFirstOrThrow()
    ).version;
  const born = await version();
  await allocate(nodeId);
  const allocated = await version();
  await database.db
    .updateTable('node')
    .set({ bootenv: 'discovery' })
    .where('id', '=', nodeId)
    .execute();
  const changed = await version();
  await database.db.updateTable('node').set({ alive: true }).where('id', '=', nodeId).execute();
  expect(born < allocated && allocated < changed).toBe(true);
  expect(await version()).toBe(changed);
});
