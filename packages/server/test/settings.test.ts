import { readRetention, transaction } from '@hostwright/engine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBootSettings } from '../../boot/src/boot/settings.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

const list = async (): Promise<Record<string, unknown>> => {
  const { json } = await world.ask('viewer', { url: '/settings' });
  return Object.fromEntries(
    json.items.map((item: { key: string; value: unknown }) => [item.key, item.value]),
  );
};
const put = (key: string, value: unknown) =>
  world.ask('admin', { method: 'PUT', url: `/settings/${key}`, body: { value } });

test('every setting is listed with what it means, and its default fits its own schema', async () => {
  const { json } = await world.ask('viewer', { url: '/settings' });
  expect(json.items.map((item: { key: string }) => item.key).toSorted()).toEqual([
    'boot',
    'retention',
    'ssh.trust-first-key',
    'webhook.allowInner',
  ]);
  for (const item of json.items) {
    expect(item.description).not.toBe('');
    const kept = await put(item.key, item.default);
    expect(kept.status, kept.text).toBe(200);
    const reset = await world.ask('admin', { method: 'DELETE', url: `/settings/${item.key}` });
    expect(reset.status).toBe(204);
  }
});

test('what is set is what those who read it see; what is left out is as before', async () => {
  await put('retention', { logDays: 3 });
  await put('boot', { unknownMachines: 'local', mirrorGigabytes: 7 });
  expect(await list()).toMatchObject({
    retention: { logDays: 3, auditDays: 365 },
    boot: { unknownMachines: 'local', strangers: 5000, rescueKeys: [], mirrors: {} },
  });
  const { db } = world.database;
  expect(await readRetention(db)).toMatchObject({ logDays: 3, auditDays: 365 });
  expect(await transaction(db, readBootSettings)).toEqual({
    unknownMachines: 'local',
    strangers: 5000,
    rescueKeys: [],
    mirrors: {},
    mirrorGigabytes: 7,
  });
});

test('every fault of a value is named, and nothing is kept of it', async () => {
  const before = await list();
  const bad = await put('retention', { logDays: 0, eventDays: 'long', forever: true });
  expect(bad.status).toBe(422);
  expect(bad.json.refusals).toHaveLength(3);
  expect((await put('boot', { unknownMachines: 'explode' })).status).toBe(422);
  expect((await put('ssh.trust-first-key', 'yes')).status).toBe(422);
  expect((await put('nothing', 1)).status).toBe(404);
  expect(await list()).toEqual(before);
});
