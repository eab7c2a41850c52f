/** `If-Match` on a delete: what somebody else has changed since it was read is not deleted. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

const OBJECTS = [
  { url: '/deployments', body: { name: 'shop' } },
  { url: '/groups', body: { name: 'rack-1' } },
  {
    url: '/webhooks',
    body: { name: 'watcher', url: 'https://192.0.2.1/', kinds: ['node.deleted'] },
  },
] as const;

test.each(OBJECTS)(
  'one of $url that was changed after it was read is not deleted',
  async ({ url, body }) => {
    const made = await world.ask('admin', { method: 'POST', url, body });
    expect(made.status, made.text).toBe(201);
    const one = `${url}/${body.name}`;
    const read = String((await world.ask('admin', { url: one })).headers['etag']);
    const change =
      url === '/webhooks' ? { kinds: ['node.changed'] } : { description: 'changed meanwhile' };
    const changed = await world.ask('admin', { method: 'PATCH', url: one, body: change });
    expect(changed.status, changed.text).toBe(200);
    const remove = (etag: string) =>
      world.ask('admin', { method: 'DELETE', url: one, headers: { 'if-match': etag } });
    const late = await remove(read);
    expect(late.status, late.text).toBe(412);
    expect(late.json.code).toBe('precondition_failed');
    expect((await world.ask('admin', { url: one })).status).toBe(200);
    expect((await remove(String(changed.headers['etag']))).status).toBe(204);
    expect((await world.ask('admin', { url: one })).status).toBe(404);
  },
);
