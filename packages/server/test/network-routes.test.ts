import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

const ADMIN = {
  name: 'admin',
  category: 'admin',
  domain: 'lab.test',
  ranges: [
    { name: 'host', subnet: '10.20.0.0/24', first: '10.20.0.10', last: '10.20.0.19' },
    {
      name: 'pool',
      kind: 'dhcp',
      subnet: '10.20.0.0/24',
      first: '10.20.0.100',
      last: '10.20.0.200',
    },
    { name: 'six', subnet: 'fd00:20::/64', first: 'fd00:20::10', last: 'fd00:20::ffff' },
  ],
  routers: [{ address: '10.20.0.1' }],
};

const post = (url: string, body: unknown) => world.ask('operator', { method: 'POST', url, body });
const allocate = (node: string, address?: string) =>
  post('/networks/admin/ranges/host/allocations', { node, ...(address && { address }) });

test('a network is made with ranges and routers, changed on its revision, and read back', async () => {
  const made = await post('/networks', ADMIN);
  expect(made.status, made.text).toBe(201);
  expect(made.json).toMatchObject({
    vlan: null,
    ranges: [
      { name: 'host', size: '10', held: 0 },
      { name: 'pool', kind: 'dhcp' },
      { name: 'six', size: '65520' },
    ],
    routers: [{ address: '10.20.0.1', pref: 100 }],
  });
  const patched = await world.ask('operator', {
    method: 'PATCH',
    url: '/networks/admin',
    body: { vlan: 20, mtu: 9000, description: 'the first' },
    headers: { 'if-match': String(made.headers['etag']) },
  });
  expect(patched.json).toMatchObject({ vlan: 20, mtu: 9000, description: 'the first' });
  const old = await world.ask('operator', {
    method: 'PATCH',
    url: '/networks/admin',
    body: { vlan: null },
    headers: { 'if-match': String(made.headers['etag']) },
  });
  expect(old.status).toBe(412);
  const none = await world.ask('operator', {
    method: 'PATCH',
    url: `/networks/${made.json.id}`,
    body: { vlan: null },
  });
  expect(none.json.vlan).toBeNull();
});

test('an address may stand for its subnet, wherever a range is written', async () => {
  const four = { name: 'four', subnet: '10.30.0.5/24', first: '10.30.0.5', last: '10.30.0.9' };
  expect((await post('/networks', { name: 'masked', ranges: [four] })).status).toBe(201);
  const six = { name: 'six', subnet: 'fd30::10/64', first: 'fd30::10', last: 'fd30::1f' };
  expect((await post('/networks/masked/ranges', six)).status).toBe(201);
  const moved = await world.ask('operator', {
    method: 'PATCH',
    url: '/networks/masked/ranges/six',
    body: { subnet: 'fd30::10/56' },
  });
  expect(moved.json.ranges).toMatchObject([
    { name: 'four', subnet: '10.30.0.0/24' },
    { name: 'six', subnet: 'fd30::/56' },
  ]);
});

test('every mistake of a network is named by its field, and a clash with another network too', async () => {
  const wrong = await post('/networks', {
    name: 'wrong',
    conduit: '1g0,1g1',
    ranges: [
      { name: 'a', subnet: '10.9.0.0/24', first: '10.9.0.0', last: '10.9.1.1' },
      { name: 'a', subnet: '10.9.0.0/24', first: '10.9.0.9', last: '10.9.0.8' },
    ],
    routers: [{ address: '10.8.0.1' }],
  });
  expect(wrong.status).toBe(422);
  expect(wrong.json.refusals.map((refusal: { path: string }) => refusal.path)).toEqual(
    expect.arrayContaining([
      'bondMode',
      'ranges/0/first',
      'ranges/0/last',
      'ranges/1/name',
      'ranges/1/last',
      'routers/0/address',
    ]),
  );
  // whoever reads only the sentence must know what it is about
  expect(wrong.json.refusals.map((refusal: { message: string }) => refusal.message)).toEqual(
    expect.arrayContaining([
      'range a: 10.9.1.1 lies outside the subnet 10.9.0.0/24',
      'range a: its last address 10.9.0.8 comes before its first, 10.9.0.9',
      'the router 10.8.0.1 lies in no subnet of the network',
    ]),
  );
  const shape = await post('/networks', { name: 'x', vlan: 4095, ranges: 'none', colour: 'red' });
  expect(shape.status).toBe(400);
  expect(shape.json.refusals.map((refusal: { path: string }) => refusal.path)).toEqual(
    expect.arrayContaining(['body/vlan', 'body/ranges', 'body/colour']),
  );
  expect(shape.text).toContain('must be a whole number from 1 to 4094');
  const clash = await post('/networks', {
    name: 'other',
    ranges: [{ name: 'x', subnet: '10.20.0.0/16', first: '10.20.0.15', last: '10.20.3.3' }],
  });
  expect(clash.status).toBe(409);
  expect(clash.json.detail).toMatch(/range x overlaps range host of network admin \(10\.20\./);
  expect((await post('/networks', ADMIN)).json.code).toBe('name_taken');
});

test('an address is given, reserved, released into quarantine and freed', async () => {
  for (const name of ['a1', 'a2', 'a3']) await post('/nodes', { name });
  const first = await allocate('a1');
  expect(first.status, first.text).toBe(201);
  expect(first.json).toMatchObject({
    fresh: true,
    allocation: { address: '10.20.0.10', node: 'a1', state: 'held', names: ['a1.lab.test'] },
  });
  expect((await allocate('a1')).json).toMatchObject({ fresh: false });
  const hinted = await allocate('a2', '10.20.0.15');
  expect(hinted.json.why).toBe('hint');
  const taken = await allocate('a3', '10.20.0.15');
  expect(taken.json).toMatchObject({ code: 'refused', refusals: [{ code: 'address_taken' }] });
  expect(taken.json.detail).toContain('held by node a2');
  const printer = await post('/networks/admin/ranges/host/reservations', {
    address: '10.20.0.11',
    note: 'printer',
  });
  expect(printer.json).toMatchObject({ state: 'reserved', note: 'printer' });
  expect((await allocate('a3')).json.allocation.address).toBe('10.20.0.12');

  const released = await world.ask('operator', {
    method: 'DELETE',
    url: `/allocations/${hinted.json.allocation.id}`,
  });
  expect(released.json.address).toBe('10.20.0.15');
  expect((await allocate('a2', '10.20.0.15')).json.detail).toContain('quarantined until');
  await world.ask('operator', {
    method: 'DELETE',
    url: `/allocations/${hinted.json.allocation.id}?quarantine=0`,
  });
  expect((await allocate('a2', '10.20.0.15')).status).toBe(201);
  const outside = await post('/networks/admin/ranges/host/reservations', {
    address: '10.20.0.99; reboot',
    note: 'x',
  });
  expect(outside.status).toBe(422);
  const viewer = await world.ask('viewer', {
    method: 'DELETE',
    url: `/allocations/${printer.json.id}`,
  });
  expect(viewer.status).toBe(403);
});

test('addresses are listed by number, page by page, and nodes x networks in columns', async () => {
  const page = await world.ask('viewer', { url: '/allocations?network=admin&limit=2' });
  expect(page.json.items.map((item: { address: string }) => item.address)).toEqual([
    '10.20.0.10',
    '10.20.0.11',
  ]);
  const next = await world.ask('viewer', {
    url: `/allocations?network=admin&limit=2&cursor=${page.json.next}`,
  });
  expect(next.json.items.map((item: { address: string }) => item.address)).toEqual([
    '10.20.0.12',
    '10.20.0.15',
  ]);
  expect(next.json.next).toBeNull();
  const held = await world.ask('viewer', { url: '/allocations?state=reserved' });
  expect(held.json.items).toHaveLength(1);
  const matrix = (await world.ask('viewer', { url: '/network-matrix' })).json;
  const cell = matrix.address.indexOf('10.20.0.15');
  expect(matrix.names[matrix.node[cell]]).toBe('a2');
  expect(matrix.networks[matrix.network[cell]].name).toBe('admin');
  expect(matrix.ranges[matrix.range[cell]].name).toBe('host');
});

test('what is in use keeps its range and its network', async () => {
  const smaller = await world.ask('operator', {
    method: 'PATCH',
    url: '/networks/admin/ranges/host',
    body: { last: '10.20.0.12' },
  });
  expect(smaller.status).toBe(409);
  expect(smaller.json.refusals[0]).toMatchObject({ path: 'ranges/host/last' });
  expect(smaller.json.refusals[0].message).toContain('10.20.0.15');
  const forStrangers = await world.ask('operator', {
    method: 'PATCH',
    url: '/networks/admin/ranges/host',
    body: { kind: 'dhcp' },
  });
  expect(forStrangers.json.refusals[0]).toMatchObject({ path: 'ranges/host/kind' });
  const wider = await world.ask('operator', {
    method: 'PATCH',
    url: '/networks/admin/ranges/host',
    body: { last: '10.20.0.29' },
  });
  expect(wider.json.ranges[0].size).toBe('20');
  expect(
    (await world.ask('operator', { method: 'DELETE', url: '/networks/admin/ranges/host' })).json
      .code,
  ).toBe('in_use');
  expect(
    (await world.ask('operator', { method: 'DELETE', url: '/networks/admin' })).json.code,
  ).toBe('in_use');
  expect(
    (await world.ask('operator', { method: 'DELETE', url: '/networks/admin/ranges/six' })).status,
  ).toBe(204);
  const router = await world.ask('operator', {
    method: 'PUT',
    url: '/networks/admin/routers/10.20.0.254',
    body: { pref: 5 },
  });
  expect(router.json.routers).toEqual([{ address: '10.20.0.254', pref: 5 }]);
});

test('a name filter that is changed gives every node with an address a new boot version', async () => {
  const version = async () => {
    const { rows } = await world.database.pool.query<{ version: string }>(
      `select max(version) as version from node_boot`,
    );
    return Number(rows[0]?.version);
  };
  const before = await version();
  const bad = await world.ask('operator', {
    method: 'PUT',
    url: '/name-filters/mac',
    body: { priority: 200, template: 'd{{node.shoe}} x', matcher: { 'node.hat': 'a' } },
  });
  expect(bad.json.refusals.map((refusal: { path: string }) => refusal.path)).toEqual([
    'template',
    'template',
    'matcher/node.hat',
  ]);
  expect(await version()).toBe(before);
  const made = await world.ask('operator', {
    method: 'PUT',
    url: '/name-filters/by-id',
    body: { priority: 200, template: 'n{{node.id}}' },
  });
  expect(made.status, made.text).toBe(200);
  expect(await version()).toBeGreaterThan(before);
  const { json } = await world.ask('viewer', { url: '/nodes/a1/networks' });
  expect(json.addresses[0].names).toEqual([
    'a1.lab.test',
    expect.stringMatching(/^n\d+\.lab\.test$/),
  ]);
  const renamed = await version();
  await world.ask('operator', {
    method: 'PATCH',
    url: '/networks/admin',
    body: { domain: 'new.test' },
  });
  expect(await version()).toBeGreaterThan(renamed);
});

test('a conduit says which NICs a network is on, and a lost carrier does not move it', async () => {
  const nic = (name: string, last: string, speed: number) => ({
    name,
    mac: `52:54:00:00:00:${last}`,
    speed_mbit: speed,
    carrier: speed > 0,
    physical: true,
  });
  const facts = async (nics: object[]) =>
    world.database.db
      .updateTable('node')
      .set({ discovery: JSON.stringify({ nics }) })
      .where('name', '=', 'a1')
      .execute();
  await facts([nic('eth0', '01', 1000), nic('eth1', '02', 10_000), nic('eth2', '03', 10_000)]);
  const made = await post('/networks', {
    name: 'storage',
    conduit: '10g0,10g1',
    bondMode: '802.3ad',
    bridge: true,
    vlan: 30,
    ranges: [{ name: 'host', subnet: '10.30.0.0/24', first: '10.30.0.10', last: '10.30.0.19' }],
  });
  expect(made.status, made.text).toBe(201);
  await post('/networks/storage/ranges/host/allocations', { node: 'a1' });
  const links = async () => (await world.ask('viewer', { url: '/nodes/a1/networks' })).json.links;
  const members = [{ mac: '52:54:00:00:00:02' }, { mac: '52:54:00:00:00:03' }];
  expect(await links()).toMatchObject([
    { network: 'storage', bondMode: '802.3ad', vlan: 30, members, error: null },
  ]);
  await facts([nic('eth0', '01', 10_000), nic('eth1', '02', 0), nic('eth2', '03', 10_000)]);
  expect(await links()).toMatchObject([{ members, error: null }]);
  await facts([nic('eth0', '01', 1000)]);
  expect((await links())[0].error).toContain('no NIC');
});
