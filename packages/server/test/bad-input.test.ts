import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { sql } from 'kysely';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asHostwrightError } from '../src/http/problem.ts';
import { createWorld, type Reply, type World } from './world.ts';

let world: World;
let port: number;
beforeAll(async () => {
  world = await createWorld();
  await world.app.listen({ host: '127.0.0.1', port: 0 });
  const address = world.app.server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => world.stop());

const makeNode = (body: unknown) => world.ask('operator', { method: 'POST', url: '/nodes', body });

const expectProblem = (answer: Reply, status: number, code: string): void => {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.headers['content-type']).toContain('application/problem+json');
  expect(answer.json).toMatchObject({ status, code });
  expect(answer.json.requestId).toBe(answer.headers['x-request-id']);
};

test('every field that is wrong is named, in one answer', async () => {
  const answer = await makeNode({ name: 'No Good', labels: { ' ': 1 }, colour: 'red' });
  expectProblem(answer, 400, 'bad_input');
  const paths = answer.json.refusals.map((refusal: { path: string }) => refusal.path);
  expect(paths).toContain('body/name');
  expect(paths).toContain('body/colour');
  expect(paths.some((path: string) => path.startsWith('body/labels'))).toBe(true);
});

test('a name of a megabyte is refused without being carried around', async () => {
  expectProblem(await makeNode({ name: 'x'.repeat(900_000) }), 400, 'bad_input');
  expectProblem(await makeNode({ name: 'x'.repeat(1_200_000) }), 413, 'too_large');
  const path = await world.ask('viewer', { url: `/nodes/${'x'.repeat(5000)}` });
  expect([400, 404, 414]).toContain(path.status);
});

test('a document that is not JSON, too deep, or holds what cannot be stored is refused', async () => {
  expectProblem(await makeNode('{"name": '), 400, 'bad_input');
  expectProblem(await makeNode(''), 400, 'bad_input');
  const deep = `{"name":"deep","hint":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`;
  expectProblem(await makeNode(deep), 400, 'bad_input');
  const arrays = `{"name":"deep","hint":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
  expectProblem(await makeNode(arrays), 400, 'bad_input');
  expectProblem(await makeNode('{"name":"nul","description":"a\\u0000b"}'), 400, 'bad_input');
  expectProblem(await makeNode('{"name":"half","description":"\\ud800"}'), 400, 'bad_input');
  expectProblem(await makeNode('{"name":"proto","hint":{"__proto__":{"x":1}}}'), 400, 'bad_input');
  expectProblem(await world.ask('viewer', { url: '/nodes/a%00b' }), 400, 'bad_input');
});

test('numbers out of range are refused, not wrapped or cut', async () => {
  for (const url of [
    '/nodes?limit=0',
    '/nodes?limit=1001',
    '/nodes?limit=1e9',
    '/runs/0',
    '/runs/-1',
    '/runs/1.5',
    '/runs/99999999999999999999',
  ])
    expect((await world.ask('viewer', { url })).status, url).toBe(400);
  expect((await world.ask('viewer', { url: '/runs/9007199254740991' })).status).toBe(404);
  expect((await world.ask('viewer', { url: '/nodes/99999999999999999999' })).status).toBe(404);
});

test('a cursor that is not one, or of another order, is refused', async () => {
  await makeNode({ name: 'c1' });
  await makeNode({ name: 'c2' });
  const page = await world.ask('viewer', { url: '/nodes?limit=1' });
  const cursor = encodeURIComponent(page.json.next);
  expect((await world.ask('viewer', { url: `/nodes?limit=1&cursor=${cursor}` })).status).toBe(200);
  expectProblem(
    await world.ask('viewer', { url: `/nodes?sort=-name&cursor=${cursor}` }),
    400,
    'bad_input',
  );
  expectProblem(await world.ask('viewer', { url: '/nodes?cursor=nonsense' }), 400, 'bad_input');
  const forged = Buffer.from(JSON.stringify(['node name', { $gt: '' }, 1])).toString('base64url');
  expectProblem(await world.ask('viewer', { url: `/nodes?cursor=${forged}` }), 400, 'bad_input');
});

test('an unknown field of a choice, sort or filter is named', async () => {
  expectProblem(await world.ask('viewer', { url: '/nodes?fields=name,colour' }), 400, 'bad_input');
  expectProblem(await world.ask('viewer', { url: '/nodes?sort=colour' }), 400, 'bad_input');
  expectProblem(await world.ask('viewer', { url: '/nodes?state=happy' }), 400, 'bad_input');
});

test('what looks like SQL or a pattern is only text', async () => {
  await makeNode({ name: 'percent', description: "100% o'clock" });
  const found = await world.ask('viewer', { url: `/nodes?q=${encodeURIComponent("% o'clock")}` });
  expect(found.json.items.map((item: { name: string }) => item.name)).toEqual(['percent']);
  const none = await world.ask('viewer', {
    url: `/nodes?q=${encodeURIComponent("'; drop table node; --")}`,
  });
  expect(none.json.items).toEqual([]);
});

test('a taken name is a conflict that names the field', async () => {
  await makeNode({ name: 'twice' });
  const answer = await makeNode({ name: 'twice' });
  expectProblem(answer, 409, 'name_taken');
  expect(answer.json.refusals).toMatchObject([{ path: 'name' }]);
});

test('an idempotency key makes a repeated request harmless, and its reuse for another a conflict', async () => {
  const post = (body: unknown) =>
    world.ask('operator', {
      method: 'POST',
      url: '/deployments',
      body,
      headers: { 'idempotency-key': 'k-1' },
    });
  const [first, second] = [await post({ name: 'once' }), await post({ name: 'once' })];
  expect(first.status).toBe(201);
  expect(second.status).toBe(201);
  expect(second.json).toEqual(first.json);
  expect(second.headers['idempotent-replay']).toBe('true');
  expectProblem(await post({ name: 'other' }), 409, 'conflict');
  const refused = { name: 'once', parent: 'nowhere' };
  const key = { 'idempotency-key': 'k-2' };
  const again = () =>
    world.ask('operator', { method: 'POST', url: '/deployments', body: refused, headers: key });
  expect((await again()).status).toBe(404);
  expect((await again()).status).toBe(404);
});

test('ten requests with one key at once make one object', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      world.ask('operator', {
        method: 'POST',
        url: '/deployments',
        body: { name: 'raced' },
        headers: { 'idempotency-key': 'k-3' },
      }),
    ),
  );
  expect(answers.filter((answer) => answer.status === 201).length).toBeGreaterThan(0);
  expect(answers.every((answer) => answer.status === 201 || answer.json.code === 'conflict')).toBe(
    true,
  );
  const found = await world.ask('viewer', { url: '/deployments?q=raced' });
  expect(found.json.items).toHaveLength(1);
});

test('an unknown route is a problem too, and an unknown page is the console', async () => {
  expectProblem(await world.ask('viewer', { url: '/colours' }), 404, 'not_found');
  const page = await world.app.inject({ url: '/nodes/n1' });
  expect(page.statusCode).toBe(200);
  expect(page.headers['content-type']).toContain('text/html');
});

test('a client that hangs up in mid-request leaves nothing half done', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `POST /api/v2/nodes HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.tokens.operator}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"name":"half`,
  );
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.destroy();
  // one that goes away right after its whole request is carried out, once
  const whole = httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/api/v2/nodes',
    headers: {
      authorization: `Bearer ${world.tokens.operator}`,
      'content-type': 'application/json',
    },
  });
  whole.on('error', () => {});
  whole.end(JSON.stringify({ name: 'gone' }), () => whole.destroy());
  const alive = await world.ask('viewer', { url: '/health' });
  expect(alive.status).toBe(200);
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from node where name like 'half%'`.execute(world.database.db);
  expect(rows[0]?.count).toBe(0);
  await eventually(async () => {
    const found = await sql<{ open: number }>`select count(*)::int as open from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'`.execute(
      world.database.db,
    );
    return found.rows[0]?.open === 0;
  });
});

test('a bulk action tells for each item what became of it', async () => {
  await makeNode({ name: 'b1' });
  await makeNode({ name: 'b2' });
  const answer = await world.ask('operator', {
    method: 'POST',
    url: '/nodes/bulk',
    body: { action: 'labels', nodes: ['b1', 'nobody', 'b2'], labels: { rack: 'r1' } },
  });
  expect(answer.json).toMatchObject({ ok: 2, failed: 1 });
  expect(answer.json.results).toMatchObject([
    { ref: 'b1', ok: true },
    { ref: 'nobody', ok: false, code: 'not_found' },
    { ref: 'b2', ok: true },
  ]);
  const tooMany = await world.ask('operator', {
    method: 'POST',
    url: '/nodes/bulk',
    body: { action: 'retry', nodes: Array.from({ length: 10_001 }, (_, index) => `n${index}`) },
  });
  expectProblem(tooMany, 400, 'bad_input');
});

test.each(['/noderoles?state=', '/nodes?noderoleState=,', '/runs?status='])(
  'a filter that names nothing is no filter: %s',
  async (url) => {
    const answer = await world.ask('viewer', { url });
    expect(answer.status, answer.text).toBe(200);
  },
);

test('a barclamp of no files is refused, the same one sent ten times at once is taken', async () => {
  const send = (files: Record<string, string>) =>
    world.ask('admin', { method: 'POST', url: '/barclamps/import', body: { name: 'tiny', files } });
  expect((await send({})).status).toBe(400);
  const manifest = 'name: tiny\nversion: 1.0.0\nroles: []\n';
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => send({ 'barclamp.yml': manifest })),
  );
  for (const answer of answers) expect(answer.status, answer.text).toBe(200);
});

test('a connection that breaks under a statement is worth another try', () => {
  for (const said of [
    'Connection terminated unexpectedly',
    'Client has encountered a connection error and is not queryable',
  ])
    expect(asHostwrightError(new Error(said))).toMatchObject({ code: 'unavailable', status: 503 });
});
