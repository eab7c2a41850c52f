import { readSecret, reveal } from '@hostwright/engine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

const make = (name: string) =>
  world.ask('admin', {
    method: 'POST',
    url: '/webhooks',
    body: { name, url: 'https://192.0.2.1/', kinds: ['node.deleted'] },
  });
const keyOf = async (name: string): Promise<string> => {
  const { secret } = (await world.ask('admin', { url: `/webhooks/${name}` })).json;
  const { db, master } = world.context;
  return reveal(await readSecret(db, { name: secret, master }));
};
const secrets = async (): Promise<number> =>
  (await world.ask('admin', { url: '/secrets' })).json.items.length;

test('a webhook keeps its signing key when somebody tries to make another of its name', async () => {
  const first = await make('watcher');
  expect(first.status, first.text).toBe(201);
  const before = await secrets();
  const second = await make('watcher');
  expect(second.status, second.text).toBe(409);
  expect(second.json.code).toBe('name_taken');
  expect(await keyOf('watcher')).toBe(first.json.signingKey);
  expect(await secrets()).toBe(before);
});
