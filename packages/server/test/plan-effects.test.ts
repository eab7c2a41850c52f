import { fileURLToPath } from 'node:url';
import { importOsTemplates } from '@hostwright/boot';
import { importBarclamp } from '@hostwright/engine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

let world: World;
const folderOf = (name: string) =>
  fileURLToPath(new URL(`../../../barclamps/${name}`, import.meta.url));

const post = (url: string, body?: unknown) => world.ask('operator', { method: 'POST', url, body });
const facts = (name: string, signatures: string[], serial = 'S1') =>
  world.database.db
    .updateTable('node')
    .set({
      discovery: JSON.stringify({
        disks: [
          { name: 'sda', serial, size_bytes: 64_000_000_000, signatures },
          { name: 'sdb', serial: 'S2', size_bytes: 4_000_000_000_000 },
        ],
      }),
    })
    .where('name', '=', name)
    .execute();

beforeAll(async () => {
  world = await createWorld();
  const { db } = world.database;
  for (const name of ['noop', 'role-provided', 'script'])
    await db.insertInto('jig').values({ name }).execute();
  for (const name of ['core', 'network', 'provisioner'])
    await importBarclamp(db, { folder: folderOf(name), actor: 'test' });
  await importOsTemplates(db);
  await post('/networks', {
    name: 'admin',
    category: 'admin',
    domain: 'lab.test',
    ranges: [{ name: 'host', subnet: '10.5.0.0/24', first: '10.5.0.10', last: '10.5.0.12' }],
  });
  for (const name of ['m1', 'm2', 'm3', 'm4']) {
    await post('/nodes', { name });
    await facts(name, ['sda1: ext4 label root', 'sda2: LVM2_member']);
  }
});
afterAll(() => world.stop());

const propose = async (deployment: string, bindings: unknown) => {
  await post('/deployments', { name: deployment });
  const { json } = await post(`/deployments/${deployment}/snapshots`);
  const bound = await post(`/snapshots/${json.id}/bind`, { bindings });
  expect(bound.status, bound.text).toBeLessThan(300);
  return json.id as number;
};
const planOf = async (snapshot: number) =>
  (await world.ask('viewer', { url: `/snapshots/${snapshot}/plan` })).json;
const texts = (plan: { effects: { kind: string; subject: string; text: string }[] }) =>
  plan.effects.map((effect) => `${effect.kind} ${effect.subject}: ${effect.text}`);

test('the plan of an installation names the disk, what is on it and the boot; consent is bound to it', async () => {
  const snapshot = await propose('metal', [
    {
      role: 'provisioner-os-install',
      node: 'm1',
      data: { os_install: { os: 'debian-13', disk: { serials: ['S1'] } } },
    },
  ]);
  const plan = await planOf(snapshot);
  expect(texts(plan)).toEqual(
    expect.arrayContaining([
      'disk m1: sda (64 GB, serial S1) is erased once consent is given; on it: sda1: ext4 label root; sda2: LVM2_member',
      expect.stringContaining('boot m1: boots debian-13-install from the network once'),
      expect.stringContaining('problem m1: debian-13-install cannot be booted yet'),
      expect.stringContaining('address m1: has no address of its own'),
    ]),
  );
  expect(plan.destructive[0].disks).toEqual([
    {
      name: 'sda',
      serial: 'S1',
      bytes: 64_000_000_000,
      holds: ['sda1: ext4 label root', 'sda2: LVM2_member'],
    },
  ]);

  const commit = (hash: string, disks: string[]) =>
    post(`/snapshots/${snapshot}/commit`, {
      plan: hash,
      consent: [{ role: 'provisioner-os-install', node: 'm1', disks }],
    });
  const wrong = await commit(plan.hash, ['sdb']);
  expect(wrong.json).toMatchObject({ code: 'refused', refusals: [{ code: 'wrong_disk' }] });
  // leave that names no disk would be leave for whatever the plan says, read or not
  const blank = await commit(plan.hash, []);
  expect(blank.json.refusals).toMatchObject([
    {
      code: 'wrong_disk',
      message: expect.stringContaining('--consent provisioner-os-install@m1:S1'),
    },
  ]);

  // somebody put a file system there meanwhile: what was consented to is not what is there
  await facts('m1', ['sda1: ext4 label payroll']);
  const moved = await commit(plan.hash, ['sda']);
  expect(moved.json).toMatchObject({ code: 'plan_moved' });
  expect(moved.json.refusals[0].path).toBe('effects on m1');
  const fresh = await planOf(snapshot);
  expect((await commit(fresh.hash, ['sda'])).status).toBe(200);
  const consent = await world.database.db.selectFrom('consent').selectAll().execute();
  expect(consent).toMatchObject([{ disks: ['S1'], plan_hash: fresh.hash, used_by_run: null }]);
});

test('the refusal of a nameless consent says words for a shell, whatever the machine calls its disk', async () => {
  await facts('m4', [], 'S1;reboot now');
  await world.database.db
    .insertInto('boot_file')
    .values({ path: 'images/default.tar.gz', sha256: 'a'.repeat(64), size: 1 })
    .execute();
  const data = { os_install: { os: 'image', disk: { rule: 'smallest' } } };
  const snapshot = await propose('odd', [{ role: 'provisioner-os-install', node: 'm4', data }]);
  const commit = async (disks: string[]) =>
    post(`/snapshots/${snapshot}/commit`, {
      plan: (await planOf(snapshot)).hash,
      consent: [{ role: 'provisioner-os-install', node: 'm4', disks }],
    });
  const named = async () => (await commit([])).json.refusals[0].message.split(', say ')[1];
  expect(await named()).toBe("--consent 'provisioner-os-install@m4:S1;reboot now'");
  await facts('m4', [], 'S1,S2');
  expect(await named()).toBe('--consent provisioner-os-install@m4:sda');
  expect((await commit(['sda'])).status).toBe(200);
});

test('a plan says what cannot be installed as things are, and why', async () => {
  const snapshot = await propose('vague', [
    { role: 'provisioner-os-install', node: 'm2', data: { os_install: { os: 'debian-13' } } },
    { role: 'provisioner-os-install', node: 'm3', data: { os_install: { os: 'beos' } } },
  ]);
  expect(texts(await planOf(snapshot))).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/problem m2: cannot be done as things are: disk: 2 disks fit/),
      'problem m3: cannot be done as things are: os: there is no OS beos',
    ]),
  );
});

test('the addresses a plan tells are the ones its commit gives, or the plan has moved', async () => {
  const join = { network: { join: ['admin'] } };
  const snapshot = await propose('addressed', [
    { role: 'network-addresses', node: 'm2', data: join },
    {
      role: 'network-addresses',
      node: 'm3',
      data: { network: { ...join.network, addresses: { admin: '10.5.0.10' } } },
    },
  ]);
  const plan = await planOf(snapshot);
  expect(texts(plan)).toEqual([
    'address m2: gets 10.5.0.10 in admin/host (lowest free)',
    'dns m2: m2.lab.test will name 10.5.0.10; DHCP gives it to this machine',
    'problem m3: gets no address in admin/host: 10.5.0.10 is taken',
  ]);
  await post('/networks/admin/ranges/host/reservations', { address: '10.5.0.10', note: 'printer' });
  const late = await post(`/snapshots/${snapshot}/commit`, { plan: plan.hash });
  expect(late.json.code).toBe('plan_moved');
  const fresh = await planOf(snapshot);
  expect(texts(fresh)[0]).toBe('address m2: gets 10.5.0.11 in admin/host (lowest free)');
  expect((await post(`/snapshots/${snapshot}/commit`, { plan: fresh.hash })).status).toBe(200);
  const held = await world.ask('viewer', { url: '/allocations?node=m2' });
  expect(held.json.items).toMatchObject([{ address: '10.5.0.11', state: 'held' }]);
});
