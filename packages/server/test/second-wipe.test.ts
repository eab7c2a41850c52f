/**
 * A machine that was installed once, and everything an operator may do in good faith: an older
 * snapshot proposed again, a barclamp imported again, the node taken out and put back, a backup
 * restored. None of it may start an installation.
 */
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importOsTemplates } from '@hostwright/boot';
import {
  importBarclamp,
  reportHello,
  SILENT,
  startWorker,
  withdrawConsents,
  type Worker,
} from '@hostwright/engine';
import { createRoleProvidedJig, noopJig } from '@hostwright/jigs';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootPlugin } from '../src/index.ts';
import { createInstalling, createWorld, type World } from './world.ts';

const MAC = '52:54:00:bb:00:01';
const ROLE = 'provisioner-os-install';
const scratch = mkdtempSync(join(tmpdir(), 'hostwright-second-wipe-'));
let world: World;
let worker: Worker;
let nodeId = 0;
let restarts = 0;

const post = (url: string, body?: unknown) => world.ask('operator', { method: 'POST', url, body });
const machine = async (url: string, method: 'GET' | 'POST' = 'GET', payload = '') => {
  const answer = await world.app.inject({ method, url, ...(method === 'POST' && { payload }) });
  return answer.rawPayload.toString('latin1');
};
const script = () => machine(`/boot/v1/ipxe?mac=${MAC}`);
const phases = async () =>
  (await world.database.db.selectFrom('os_install').select('phase').orderBy('id').execute()).map(
    (row) => row.phase,
  );
const noderole = async (role = ROLE) =>
  (await world.ask('viewer', { url: `/noderoles?node=m1&role=${role}` })).json.items[0];
const folderOf = (name: string) =>
  fileURLToPath(new URL(`../../../barclamps/${name}`, import.meta.url));

const bind = async (consent: boolean) => {
  const { json: snapshot } = await post('/deployments/shop/snapshots');
  await post(`/snapshots/${snapshot.id}/bind`, {
    bindings: [{ role: ROLE, node: 'm1', data: { os_install: { os: 'image' } } }],
  });
  const { json: plan } = await world.ask('viewer', { url: `/snapshots/${snapshot.id}/plan` });
  const done = await post(`/snapshots/${snapshot.id}/commit`, {
    plan: plan.hash,
    ...(consent && { consent: [{ role: ROLE, node: 'm1', disks: ['S1'] }] }),
  });
  expect(done.status, done.text).toBe(200);
};

/** Long enough for the annealer to have looked: another role of the node has run again since. */
const settle = async (): Promise<void> => {
  const bootId = randomUUID();
  await reportHello(world.database.db, { nodeId, bootId });
  await eventually(async () => (await noderole('managed-node'))?.state === 'active');
  expect(await script()).toMatch(/local|sanboot/);
};

const startWorking = async (): Promise<void> => {
  const transition = createInstalling(world.database, () => restarts++);
  worker = await startWorker({
    database: world.database,
    log: SILENT,
    name: 'wipe',
    tickMs: 200,
    jigs: [noopJig, createRoleProvidedJig({ find: async () => transition })],
  });
};

beforeAll(async () => {
  world = await createWorld({}, [
    bootPlugin({ filesFolder: '/nowhere', bootUrl: 'http://10.0.0.1:8080' }),
  ]);
  const { db } = world.database;
  for (const name of ['noop', 'role-provided', 'script'])
    await db.insertInto('jig').values({ name }).execute();
  for (const name of ['core', 'network', 'provisioner'])
    await importBarclamp(db, { folder: folderOf(name), actor: 'test' });
  await importOsTemplates(db);
  await db
    .insertInto('boot_file')
    .values({ path: 'images/default.tar.gz', sha256: 'a'.repeat(64), size: 1 })
    .execute();
  await startWorking();
  nodeId = (await post('/nodes', { name: 'm1', macs: [MAC], bootenv: 'discovery' })).json.id;
  const disks = [{ name: 'sda', serial: 'S1', size_bytes: 8_000_000_000, signatures: [] }];
  await db
    .updateTable('node')
    .set({ discovery: JSON.stringify({ disks }) })
    .where('id', '=', nodeId)
    .execute();
  await reportHello(db, { nodeId, bootId: randomUUID() });
  await post('/deployments', { name: 'shop' });
  await bind(true);
  await eventually(async () => (await phases()).at(-1) === 'boot');
  const seed = /\/boot\/v1\/seed\/[^/]+\/seed\.cpio/.exec(await script())?.[0] ?? 'no seed';
  const token = /install=([A-Za-z0-9_-]{43})/.exec(await machine(seed))?.[1] ?? 'no token';
  const base = `/boot/v1/install/${token}`;
  expect(await machine(`${base}/wipe`, 'POST', 'serial=S1&bytes=8000000000')).toBe('granted\n');
  const up = /up=([A-Za-z0-9_-]{43})/.exec(await machine(`${base}/firstboot`))?.[1] ?? '';
  await machine(`${base}/finished`, 'POST');
  const bootId = randomUUID();
  await machine(`/boot/v1/up/${up}`, 'POST', `boot_id=${bootId}`);
  await reportHello(db, { nodeId, bootId });
  await eventually(async () => (await noderole())?.state === 'active');
});
afterAll(async () => {
  await worker.stop();
  await world.stop();
  rmSync(scratch, { recursive: true, force: true });
});

test('an older snapshot that is proposed and committed again installs nothing', async () => {
  const { json: changed } = await post('/deployments/shop/snapshots');
  await world.ask('operator', {
    method: 'PUT',
    url: `/snapshots/${changed.id}/bindings/${ROLE}/m1/data`,
    body: { data: { os_install: { os: 'image', timezone: 'Europe/Berlin' } } },
  });
  expect((await post(`/snapshots/${changed.id}/commit`)).status).toBe(200);
  await settle();
  const { json: older } = await post('/deployments/shop/rollback', { revision: 1 });
  expect((await post(`/snapshots/${older.id}/commit`)).status).toBe(200);
  await settle();
  expect(await phases()).toEqual(['done']);
  expect(restarts).toBe(1);
});

test('a barclamp imported anew, even one that forgot to call the role destructive, erases nothing', async () => {
  const { db } = world.database;
  const folder = join(scratch, 'provisioner');
  cpSync(folderOf('provisioner'), folder, { recursive: true });
  const path = join(folder, 'barclamp.yml');
  const text = readFileSync(path, 'utf8');
  const change = async (from: string, to: string, version: string) => {
    writeFileSync(path, text.replace(from, to).replace('version: 1.0.0', `version: ${version}`));
    await importBarclamp(db, { folder, actor: 'test' });
  };
  await change('deadlineSeconds: 14400', 'deadlineSeconds: 10000', '1.0.1');
  await settle();
  await change('flags: [destructive, reboots, milestone]', 'flags: [reboots, milestone]', '1.0.2');
  await post('/noderoles/retry', { role: ROLE });
  await post(`/noderoles/${(await noderole()).id}/retry`);
  await eventually(async () => (await noderole())?.reason.includes('the consent names no disk'));
  expect(await script()).not.toContain('image-install');
  expect(await phases()).toEqual(['done']);
  expect(restarts).toBe(1);
  await change('', '', '1.0.3');
});

test('a node taken out and put back waits for a consent of its own', async () => {
  const { json: out } = await post('/deployments/shop/snapshots');
  await post(`/snapshots/${out.id}/unbind`, { bindings: [{ role: ROLE, node: 'm1' }] });
  expect((await post(`/snapshots/${out.id}/commit`)).status).toBe(200);
  await eventually(async () => (await noderole()) === undefined);
  await bind(false);
  await eventually(async () => (await noderole())?.holds.includes('consent'));
  expect(await script()).not.toContain('image-install');
  expect(await phases()).toEqual(['done']);
  expect(restarts).toBe(1);
});

test('a consent that was given before a backup is not good after its restore', async () => {
  await worker.stop();
  const { id } = await noderole();
  const wrong = await post(`/noderoles/${id}/consent`, { disks: ['S1', 'S2'] });
  expect(wrong.json.refusals).toMatchObject([{ code: 'wrong_disk' }]);
  const unnamed = await post(`/noderoles/${id}/consent`, {});
  expect(unnamed).toMatchObject({ status: wrong.status });
  const given = await post(`/noderoles/${id}/consent`, { disks: ['S1'] });
  expect(given.json.holds).toEqual([]);
  const { rows } = await world.database.pool.query(
    'select disks from consent where used_by_run is null',
  );
  expect(rows).toEqual([{ disks: ['S1'] }]);
  expect(await withdrawConsents(world.database.db)).toMatchObject({ consents: 1 });
  await startWorking();
  await eventually(async () => (await noderole())?.holds.includes('consent'));
  expect(await phases()).toEqual(['done']);
  expect(restarts).toBe(1);
});
