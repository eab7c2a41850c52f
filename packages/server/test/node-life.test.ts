/** One machine from its installation to its erasure, by the API and the boot endpoint; the worker is real. */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { importOsTemplates, rescueNode, sweepInstalls } from '@hostwright/boot';
import { importBarclamp, reportHello, SILENT, startWorker, type Worker } from '@hostwright/engine';
import { createRoleProvidedJig, noopJig } from '@hostwright/jigs';
import { eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootPlugin } from '../src/index.ts';
import { createInstalling, createWorld, type World } from './world.ts';

const MAC = '52:54:00:aa:00:01';
const BYTES = 8_000_000_000;
let world: World;
let worker: Worker;
let nodeId = 0;
let restarts = 0;
/** Of the boot the machine is in. */
let bootId = '';

const post = (url: string, body?: unknown) => world.ask('operator', { method: 'POST', url, body });
const machine = async (url: string, method: 'GET' | 'POST' = 'GET', payload = '') => {
  const answer = await world.app.inject({ method, url, ...(method === 'POST' && { payload }) });
  return { status: answer.statusCode, text: answer.rawPayload.toString('latin1') };
};
const script = async () => (await machine(`/boot/v1/ipxe?mac=${MAC}`)).text;
const installs = () =>
  world.database.db.selectFrom('os_install').selectAll().orderBy('id').execute();
const phaseIs = (phase: string, count: number) =>
  eventually(async () => {
    const rows = await installs();
    return rows.length === count && rows.at(-1)?.phase === phase;
  });
const noderole = async (role: string) =>
  (await world.ask('viewer', { url: `/noderoles?node=m1&role=${role}` })).json.items[0];
const isActive = (role: string) =>
  eventually(async () => (await noderole(role))?.state === 'active');
const hello = (id: string = randomUUID()) => {
  bootId = id;
  return reportHello(world.database.db, { nodeId, bootId });
};

const takeInstaller = async (): Promise<string> => {
  const seed = /\/boot\/v1\/seed\/[^/]+\/seed\.cpio/.exec(await script())?.[0] ?? 'no seed';
  const { text } = await machine(seed);
  return /install=([A-Za-z0-9_-]{43})/.exec(text)?.[1] ?? 'no token';
};

/** What a machine does from its reset until its new system has said hello. */
const install = async (count: number): Promise<void> => {
  await phaseIs('boot', count);
  const token = await takeInstaller();
  const wiped = await machine(`/boot/v1/install/${token}/wipe`, 'POST', `serial=S1&bytes=${BYTES}`);
  expect(wiped.text).toBe('granted\n');
  const first = await machine(`/boot/v1/install/${token}/firstboot`);
  await machine(`/boot/v1/install/${token}/finished`, 'POST');
  const up = /up=([A-Za-z0-9_-]{43})/.exec(first.text)?.[1] ?? '';
  const fresh = randomUUID();
  expect((await machine(`/boot/v1/up/${up}`, 'POST', `boot_id=${fresh}`)).status).toBe(200);
  await hello(fresh);
  await isActive('provisioner-os-install');
};

beforeAll(async () => {
  world = await createWorld({}, [
    bootPlugin({ filesFolder: '/nowhere', bootUrl: 'http://10.0.0.1:8080' }),
  ]);
  const { db } = world.database;
  for (const name of ['noop', 'role-provided', 'script'])
    await db.insertInto('jig').values({ name }).execute();
  for (const name of ['core', 'network', 'provisioner'])
    await importBarclamp(db, {
      folder: fileURLToPath(new URL(`../../../barclamps/${name}`, import.meta.url)),
      actor: 'test',
    });
  await importOsTemplates(db);
  await db
    .insertInto('boot_file')
    .values([
      { path: 'images/default.tar.gz', sha256: 'a'.repeat(64), size: 1 },
      { path: 'discovery/vmlinuz', sha256: 'b'.repeat(64), size: 1 },
      { path: 'discovery/initrd.img', sha256: 'c'.repeat(64), size: 1 },
    ])
    .execute();
  const transition = createInstalling(world.database, () => restarts++);
  worker = await startWorker({
    database: world.database,
    log: SILENT,
    name: 'life',
    tickMs: 200,
    jigs: [noopJig, createRoleProvidedJig({ find: async () => transition })],
  });
  const made = await post('/nodes', { name: 'm1', macs: [MAC], bootenv: 'discovery' });
  nodeId = made.json.id;
  const disks = [
    { name: 'sda', serial: 'S1', size_bytes: BYTES, signatures: [] },
    { name: 'sdb', serial: 'S2', size_bytes: BYTES, signatures: ['LVM2_member'] },
  ];
  await db
    .updateTable('node')
    .set({ discovery: JSON.stringify({ disks }) })
    .where('id', '=', nodeId)
    .execute();
  await hello();
  await post('/networks', {
    name: 'admin',
    ranges: [{ name: 'host', subnet: '10.5.0.0/24', first: '10.5.0.10', last: '10.5.0.12' }],
  });
  await post('/networks/admin/ranges/host/allocations', { node: 'm1' });
});
afterAll(async () => {
  await worker.stop();
  await world.stop();
});

test('a machine installed once is not wiped again by retry-all, new data, boots or the boot order', async () => {
  await post('/deployments', { name: 'shop' });
  const { json: snapshot } = await post('/deployments/shop/snapshots');
  const os = { os: 'image', disk: { serials: ['S1'] } };
  await post(`/snapshots/${snapshot.id}/bind`, {
    bindings: [{ role: 'provisioner-os-install', node: 'm1', data: { os_install: os } }],
  });
  const { json: plan } = await world.ask('viewer', { url: `/snapshots/${snapshot.id}/plan` });
  const committed = await post(`/snapshots/${snapshot.id}/commit`, {
    plan: plan.hash,
    consent: [{ role: 'provisioner-os-install', node: 'm1', disks: ['sda'] }],
  });
  expect(committed.status, committed.text).toBe(200);
  await install(1);

  const id = (await noderole('provisioner-os-install')).id;
  const bulk = await post('/noderoles/retry', { deployment: 'shop' });
  expect(bulk.json.results ?? []).toEqual([]);
  const byRole = await post('/noderoles/retry', { role: 'provisioner-os-install' });
  expect(byRole.json.ok).toBe(0);
  await post('/nodes/bulk', { action: 'retry', nodes: ['m1'] });
  // its inputs change: shown, never re-run
  const { json: second } = await post('/deployments/shop/snapshots');
  const put = await world.ask('operator', {
    method: 'PUT',
    url: `/snapshots/${second.id}/bindings/provisioner-os-install/m1/data`,
    body: { data: { os_install: { ...os, timezone: 'Europe/Berlin' } } },
  });
  expect(put.status, put.text).toBe(200);
  const again = await world.ask('viewer', { url: `/snapshots/${second.id}/plan` });
  expect(again.json.destructive).toMatchObject([
    { effect: 'stays as it is and is marked drifted' },
  ]);
  expect((await post(`/snapshots/${second.id}/commit`)).status).toBe(200);
  // it boots from the network first, again and again, as an empty machine would
  for (let boot = 0; boot < 4; boot++) {
    expect(await script()).toMatch(/local|sanboot/);
    if (boot === 0) await hello();
  }
  await isActive('managed-node');
  await sweepInstalls(world.database.db);
  expect(await noderole('provisioner-os-install')).toMatchObject({
    state: 'active',
    drifted: true,
  });
  expect(await installs()).toMatchObject([{ phase: 'done', boots: 1 }]);
  expect(restarts).toBe(1);
  const runs = await world.ask('viewer', { url: `/runs?noderole=${id}` });
  expect(runs.json.items).toHaveLength(1);
});

test('reinstall erases exactly the disks a person names, once', async () => {
  const shown = await world.ask('viewer', { url: '/nodes/m1/reinstall' });
  expect(shown.json).toMatchObject({
    os: 'image',
    refusals: [],
    disks: [{ name: 'sda', serial: 'S1', bytes: BYTES, holds: [] }],
  });
  for (const disks of [[], ['sdb'], ['sda', 'sdb']]) {
    const refused = await post('/nodes/m1/reinstall', { disks });
    expect(refused.json.refusals.map((one: { code: string }) => one.code)).toContain('wrong_disk');
  }
  const actions = await world.ask('viewer', { url: '/nodes/m1/actions' });
  expect(actions.json.items.map((one: { action: string }) => one.action)).toEqual([
    'rescue',
    'reinstall',
    'release',
  ]);
  expect((await post('/nodes/m1/actions/reinstall')).status).toBe(422);
  expect(await installs()).toHaveLength(1);
  await isActive('managed-node');
  await hello(bootId);
  const asked = await post('/nodes/m1/reinstall', { disks: ['S1'] });
  expect(asked.status, asked.text).toBe(202);
  expect((await post('/nodes/m1/reinstall', { disks: ['S1'] })).json.detail).toMatch(
    /is in (todo|transition); it can be run again/,
  );
  await install(2);
  expect(await installs()).toMatchObject([{ phase: 'done' }, { phase: 'done', boots: 1 }]);
  const consents = await world.database.db.selectFrom('consent').selectAll().execute();
  expect(consents.filter((consent) => consent.used_by_run === null)).toEqual([]);
});

test('B8: rescue boots once, only after the boot servers know, and leaves what is bound alone', async () => {
  const rescue = await post('/nodes/m1/rescue');
  expect(rescue.json).toMatchObject({ restarted: false, text: expect.stringContaining('refused') });
  expect(await script()).toContain('seed.cpio');
  const seed = /\/boot\/v1\/seed\/[^/]+\/seed\.cpio/.exec(await script())?.[0] ?? '';
  expect((await machine(seed)).text).toContain('mode=rescue');
  expect(await script()).not.toContain('seed.cpio');
  expect(await noderole('provisioner-os-install')).toMatchObject({ state: 'active' });
  await sql`insert into boot_server (name, kind) values ('stuck', 'dnsmasq')`.execute(
    world.database.db,
  );
  const restart = async () => {
    throw new Error('restarted, although a boot server does not know');
  };
  await expect(
    rescueNode(world.database.db, {
      node: 'm1',
      actor: 'eve',
      restart,
      pause: async () => {},
      looks: 2,
    }),
  ).rejects.toThrow(/nothing was done: stuck/);
  expect((await world.ask('viewer', { url: '/boot-intents?open=true' })).json.items).toEqual([]);
  expect((await world.ask('viewer', { url: '/nodes/m1' })).json.bootenv).toBe('local');
  await sql`delete from boot_server`.execute(world.database.db);
});

test('release takes roles and addresses away and erases what is named, by the same leave given once', async () => {
  const wrong = await post('/nodes/m1/release', { erase: { disks: ['S1'] } });
  expect(wrong.json.refusals).toMatchObject([{ code: 'wrong_disk' }]);
  expect(await noderole('provisioner-os-install')).toMatchObject({ state: 'active' });
  await hello(bootId);
  const done = await post('/nodes/m1/release', { erase: { disks: ['S1', 'sdb'] } });
  expect(done.status, done.text).toBe(202);
  expect(done.json).toMatchObject({
    left: ['shop'],
    pending: [],
    addresses: ['10.5.0.10'],
    erasing: [{ serial: 'S1' }, { serial: 'S2', holds: ['LVM2_member'] }],
  });
  expect(await noderole('provisioner-os-install')).toBeUndefined();
  await phaseIs('boot', 3);
  const token = await takeInstaller();
  const eraser = await machine(`/boot/v1/install/${token}/install.sh`);
  expect(eraser.text).toContain('Erases the disks of the plan');
  const plan = await machine(`/boot/v1/install/${token}/plan`);
  expect(plan.text).toContain(`erase=quick\nerase_disk=S1 ${BYTES}\nerase_disk=S2 ${BYTES}\n`);
  const claim = `serial=S1&bytes=${BYTES}&serial2=S2&bytes2=${BYTES}`;
  expect((await machine(`/boot/v1/install/${token}/wipe`, 'POST', claim)).text).toBe('granted\n');
  expect((await machine(`/boot/v1/install/${token}/wipe`, 'POST', claim)).status).toBe(409);
  await machine(`/boot/v1/install/${token}/finished`, 'POST');
  await isActive('provisioner-erase');
  const node = await world.ask('viewer', { url: '/nodes/m1' });
  expect(node.json).toMatchObject({ bootenv: 'discovery', deployment: 'released' });
  const held = await world.ask('viewer', { url: '/allocations?state=quarantined' });
  expect(held.json.items).toMatchObject([{ address: '10.5.0.10', node: 'm1' }]);
});
