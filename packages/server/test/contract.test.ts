import { readFileSync } from 'node:fs';
import { OPERATIONS } from '@hostwright/api/all';
import type { OperationShape } from '@hostwright/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeApi } from '../src/openapi.ts';
import { allRoutes } from '../src/routes/all.ts';
import { createWorld, type World } from './world.ts';

const GOLDEN = new URL('../../../docs/reference/openapi.json', import.meta.url);

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

test('every operation of the contract has exactly one route, and no route is outside of it', () => {
  const routes = allRoutes().map((route) => route.operation.id);
  expect(routes.toSorted()).toEqual(OPERATIONS.map((operation) => operation.id).toSorted());
  expect(new Set(routes).size).toBe(routes.length);
});

test('the golden OpenAPI document is what the code says (else: node scripts/gen-openapi.ts)', () => {
  expect(JSON.parse(readFileSync(GOLDEN, 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(describeApi())),
  );
});

test('the OpenAPI document refers to nothing that is not in it', () => {
  const text = JSON.stringify(describeApi());
  const known = Object.keys(
    (describeApi() as { components: { schemas: object } }).components.schemas,
  );
  const named = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map((match) => match[1]);
  expect(named.filter((name) => !known.includes(name ?? ''))).toEqual([]);
});

/** A request that gets as far as the check of access; what it does to objects does not matter here. */
const requestFor = (operation: OperationShape) => ({
  method: operation.method,
  url: operation.path.replaceAll(/:[a-zA-Z]+/g, '999999'),
  ...(operation.body === undefined ? {} : { body: {} }),
});

const RANK = { viewer: 1, operator: 2, admin: 3 } as const;

test.for(
  OPERATIONS.filter((operation) => operation.medium !== 'events').map(
    (operation) => [operation.id, operation] as const,
  ),
)('%s answers exactly those whom the contract allows', async ([, operation]) => {
  const anonymous = await world.ask(undefined, requestFor(operation));
  if (operation.access === 'anyone') expect(anonymous.status).not.toBe(403);
  else expect(anonymous.status).toBe(401);
  if (operation.id === 'session_delete') return;
  for (const role of ['viewer', 'operator', 'admin'] as const) {
    const answer = await world.ask(role, requestFor(operation));
    const allowed = operation.access === 'anyone' || RANK[role] >= RANK[operation.access];
    expect(
      [401, 403].includes(answer.status) && operation.access !== 'anyone',
      `${role}: ${answer.status} ${answer.text}`,
    ).toBe(!allowed);
    // 503: no worker runs here, and readiness says so
    if (operation.id !== 'system_ready')
      // no worker runs here, and readiness says so
      if (operation.id !== 'system_ready') expect(answer.status, answer.text).toBeLessThan(500);
  }
});

test.for(['event_stream', 'run_log_stream'])(
  '%s is closed to those who did not sign in',
  async (id) => {
    const operation = OPERATIONS.find((candidate) => candidate.id === id);
    if (operation === undefined) throw new Error(id);
    expect((await world.ask(undefined, requestFor(operation))).status).toBe(401);
  },
);

test('a token that was revoked, has expired or never was is refused at once', async () => {
  const made = await world.ask('viewer', {
    method: 'POST',
    url: '/tokens',
    body: { kind: 'api', name: 'mine' },
  });
  const use = () =>
    world.ask(undefined, {
      url: '/session',
      headers: { authorization: `Bearer ${made.json.secret}` },
    });
  expect((await use()).json).toMatchObject({ name: 'viewer', via: 'token' });
  await world.ask('viewer', { method: 'DELETE', url: `/tokens/${made.json.id}` });
  expect((await use()).status).toBe(401);
  const never = await world.ask(undefined, {
    url: '/session',
    headers: { authorization: 'Bearer hwa_nonsense' },
  });
  expect(never.status).toBe(401);
});

test('nobody makes a token that can do more than they can', async () => {
  const wider = await world.ask('viewer', {
    method: 'POST',
    url: '/tokens',
    body: { kind: 'api', name: 'x', role: 'admin' },
  });
  expect(wider.status).toBe(403);
  const others = await world.ask('operator', {
    method: 'POST',
    url: '/tokens',
    body: { kind: 'api', name: 'x', user: 'admin' },
  });
  expect(others.status).toBe(403);
  const join = await world.ask('viewer', {
    method: 'POST',
    url: '/tokens',
    body: { kind: 'join' },
  });
  expect(join.status).toBe(403);
});

test('a grant raises a viewer in one deployment and below, and nowhere else', async () => {
  const { ask } = world;
  await ask('admin', { method: 'POST', url: '/deployments', body: { name: 'web' } });
  await ask('admin', {
    method: 'POST',
    url: '/deployments',
    body: { name: 'web-eu', parent: 'web' },
  });
  await ask('admin', { method: 'POST', url: '/deployments', body: { name: 'db' } });
  await ask('admin', {
    method: 'PUT',
    url: '/users/viewer/grants',
    body: { grants: [{ deployment: 'web', role: 'operator' }] },
  });
  const propose = (deployment: string) =>
    ask('viewer', { method: 'POST', url: `/deployments/${deployment}/snapshots` });
  expect((await propose('web')).status).toBe(201);
  expect((await propose('web-eu')).status).toBe(201);
  expect((await propose('db')).status).toBe(403);
  const away = await ask('viewer', {
    method: 'PATCH',
    url: '/deployments/web-eu',
    body: { parent: 'db' },
  });
  expect(away.status).toBe(403);
});

test('every change leaves a row that says who did what, and holds no secret', async () => {
  await world.ask('admin', {
    method: 'PUT',
    url: '/secrets/bmc',
    body: { value: 'hunter2-hunter2' },
  });
  await world.ask('admin', {
    method: 'POST',
    url: '/users',
    body: { name: 'zoe', role: 'viewer', password: 'correct horse battery' },
  });
  const audit = await world.ask('admin', { url: '/audit?limit=2' });
  expect(
    audit.json.items.map((row: { action: string; actor: string }) => [row.actor, row.action]),
  ).toEqual([
    ['admin', 'user_create'],
    ['admin', 'secret_put'],
  ]);
  expect(audit.text).not.toContain('hunter2');
  expect(audit.text).not.toContain('correct horse');
});
