import { importOsTemplates, recordBootEvent, registerFile } from '@hostwright/boot';
import { transaction } from '@hostwright/engine';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

let world: World;
let nodeId = 0;
beforeAll(async () => {
  world = await createWorld({ bootUrl: 'http://10.0.0.1:8080' });
  await importOsTemplates(world.database.db);
  const made = await world.ask('operator', {
    method: 'POST',
    url: '/nodes',
    body: { name: 'm1', macs: ['52:54:00:00:00:01'] },
  });
  nodeId = made.json.id;
  await world.database.db
    .updateTable('node')
    .set({
      discovery: JSON.stringify({
        disks: [{ name: 'sda', serial: 'S1', size_bytes: 64_000_000_000, signatures: ['ext4'] }],
      }),
    })
    .where('id', '=', nodeId)
    .execute();
});
afterAll(() => world.stop());

const record = (kind: 'script' | 'file' | 'power' | 'refused', text: string) =>
  transaction(world.database.db, (tx) =>
    recordBootEvent(tx, { nodeId, mac: '52:54:00:00:00:01', kind, text }),
  );

test('the boots of a node are a timeline that can be read and sent to somebody', async () => {
  await record('power', 'reset: by ipmi');
  await record('script', 'discovery: an unknown machine');
  await record('refused', 'a seed was asked for that is used');
  await record('power', 'reset: again');
  const list = await world.ask('viewer', { url: '/boots?node=m1' });
  expect(list.json.items).toMatchObject([
    { node: 'm1', events: 1, refused: 0 },
    { events: 3, refused: 1, lastText: 'a seed was asked for that is used' },
  ]);
  const id = list.json.items[1].id;
  const one = await world.ask('viewer', { url: `/boots/${id}` });
  expect(one.json.timeline.map((event: { kind: string }) => event.kind)).toEqual([
    'power',
    'script',
    'refused',
  ]);
  const text = await world.ask('viewer', { url: `/boots/${id}/text` });
  expect(text.headers['content-disposition']).toContain(`boot-${id}-m1.txt`);
  expect(text.text.split('\n')).toHaveLength(5);
  expect((await world.ask('viewer', { url: '/boots?node=nobody' })).status).toBe(404);
  expect((await world.ask('viewer', { url: '/boots?strangers=true' })).json.items).toEqual([]);
});

test('an operator decides about one boot, but never for an installer', async () => {
  const url = '/nodes/m1/boot-intents';
  const once = await world.ask('operator', { method: 'POST', url, body: { bootenv: 'local' } });
  expect(once.status, once.text).toBe(201);
  expect(once.json).toMatchObject({ node: 'm1', bootenv: 'local', state: 'open', runId: null });
  const rescue = await world.ask('operator', { method: 'POST', url, body: { bootenv: 'rescue' } });
  expect(rescue.status).toBe(409);
  expect(rescue.text).toContain('discovery/vmlinuz is missing');
  const install = await world.ask('operator', {
    method: 'POST',
    url,
    body: { bootenv: 'debian-13-install' },
  });
  expect(install.status).toBe(409);
  expect(install.json.refusals[0]).toMatchObject({ path: 'bootenv' });
  const unknown = await world.ask('operator', { method: 'POST', url, body: { bootenv: 'beos' } });
  expect(unknown.status).toBe(400);
  await world.ask('operator', { method: 'DELETE', url: `/boot-intents/${once.json.id}` });
  const all = await world.ask('viewer', { url: '/boot-intents?node=m1' });
  expect(all.json.items).toMatchObject([{ state: 'void', reason: 'voided by operator' }]);
  expect((await world.ask('viewer', { url: '/boot-intents?open=true' })).json.items).toEqual([]);
});

test('a boot environment says which of its files are not there, and what those that are must be', async () => {
  const before = await world.ask('viewer', { url: '/boot-environments/discovery' });
  expect(before.json).toMatchObject({
    bootable: false,
    missing: ['discovery/initrd.img', 'discovery/vmlinuz'],
    files: [],
  });
  const folder = join(world.dataDir, 'boot');
  mkdirSync(join(folder, 'discovery'), { recursive: true });
  for (const name of ['vmlinuz', 'initrd.img']) {
    writeFileSync(join(folder, 'discovery', name), name);
    await registerFile(world.database.db, { folder, path: `discovery/${name}` });
  }
  const after = await world.ask('viewer', { url: '/boot-environments/discovery' });
  expect(after.json).toMatchObject({
    bootable: true,
    missing: [],
    files: [{ path: 'discovery/initrd.img', size: 10 }, { path: 'discovery/vmlinuz' }],
  });
  const files = await world.ask('viewer', { url: '/boot-files?limit=1' });
  expect(files.json.items).toHaveLength(1);
  const rest = await world.ask('viewer', { url: `/boot-files?cursor=${files.json.next}` });
  expect(rest.json.items[0].sha256).toMatch(/^[0-9a-f]{64}$/);
  expect((await world.ask('viewer', { url: '/boot-files?q=vmlinuz' })).json.items).toHaveLength(1);
});

test('an installation is previewed as the node would get it, with no token and no password', async () => {
  const list = await world.ask('viewer', { url: '/os-templates' });
  expect(list.json.items.map((os: { name: string }) => os.name)).toContain('debian-13');
  const detail = await world.ask('viewer', { url: '/os-templates/debian-13' });
  expect(detail.json.files.map((file: { name: string }) => file.name)).toContain(
    'preseed.cfg.tmpl',
  );
  const preview = await world.ask('viewer', { url: '/os-templates/debian-13/preview?node=m1' });
  expect(preview.status, preview.text).toBe(200);
  expect(preview.json).toMatchObject({
    node: 'm1',
    noderoleId: null,
    refusals: [],
    plan: { os: 'debian-13', hostname: 'm1', disks: [{ serial: 'S1', signatures: ['ext4'] }] },
  });
  const preseed = preview.json.files.find((file: { name: string }) => file.name === 'preseed.cfg');
  expect(preseed.text).toContain('TOKEN-OF-THE-RUN');
  expect(preseed.text).toContain('m1');
  const image = await world.ask('viewer', { url: '/os-templates/image/preview?node=m1' });
  expect(image.json).toMatchObject({ plan: null, refusals: [{ path: 'image' }] });
  expect((await world.ask('viewer', { url: '/os-templates/beos' })).status).toBe(404);
});
