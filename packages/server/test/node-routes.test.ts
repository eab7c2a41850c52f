import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

test('a node is made, read by name and id, changed and deleted', async () => {
  const made = await world.ask('operator', {
    method: 'POST',
    url: '/nodes',
    body: { name: 'n1', labels: { rack: 'a' } },
  });
  expect(made.status, made.text).toBe(201);
  expect(made.json).toMatchObject({
    name: 'n1',
    rollup: 'undefined',
    labels: { rack: 'a' },
    deployment: 'system',
  });
  const byId = await world.ask('viewer', { url: `/nodes/${made.json.id}` });
  expect(byId.json.name).toBe('n1');
  const patched = await world.ask('operator', {
    method: 'PATCH',
    url: '/nodes/n1',
    body: { description: 'first', labels: { rack: null, row: '7' } },
  });
  expect(patched.json).toMatchObject({ description: 'first', labels: { row: '7' } });
  const gone = await world.ask('operator', { method: 'DELETE', url: '/nodes/n1' });
  expect(gone.status, gone.text).toBe(204);
  expect((await world.ask('viewer', { url: '/nodes/n1' })).status).toBe(404);
});

test('a change on old ground is refused', async () => {
  const made = await world.ask('operator', { method: 'POST', url: '/nodes', body: { name: 'n2' } });
  const etag = String(made.headers.etag);
  const first = await world.ask('operator', {
    method: 'PATCH',
    url: '/nodes/n2',
    body: { description: 'a' },
    headers: { 'if-match': etag },
  });
  expect(first.status).toBe(200);
  const second = await world.ask('operator', {
    method: 'PATCH',
    url: '/nodes/n2',
    body: { description: 'b' },
    headers: { 'if-match': etag },
  });
  expect(second.status).toBe(412);
  expect(second.json.code).toBe('precondition_failed');
});
