import { HammerError, type Hammer } from '@hostwright/providers';
import { createToken, createUser } from '@hostwright/engine';
import { createServer, type Server } from '@hostwright/server';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

const dataDir = mkdtempSync(join(tmpdir(), 'hostwright-hammer-'));
const done: string[] = [];
const bmc: Hammer = {
  kind: 'ipmi',
  power: {
    status: () => Promise.resolve('on'),
    on: () => Promise.resolve(void done.push('on')),
    off: () => Promise.reject(new HammerError('unreachable', 'the BMC does not answer')),
    reset: () => Promise.reject(new HammerError('lied', 'it said reset and stayed as it was')),
  },
};

let database: TestDatabase;
let server: Server;
let authorization: string;
beforeAll(async () => {
  database = await createTestDatabase();
  server = await createServer({
    database,
    config: { dataDir, tls: 'off', checkAnswers: true },
    openHammers: () => Promise.resolve([bmc]),
    log: pino({ level: 'silent' }),
  });
  const user = await createUser(database.db, { name: 'op', role: 'operator' });
  const { secret } = await createToken(database.db, { kind: 'api', name: 'op', userId: user.id });
  authorization = `Bearer ${secret}`;
  await ask('POST', '/nodes', { name: 'n1' });
});
afterAll(async () => {
  await server.close();
  await database.close();
  rmSync(dataDir, { recursive: true });
});

const ask = (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) =>
  server.app.inject({
    method,
    url: `/api/v2${url}`,
    headers: { authorization },
    ...(payload && { payload }),
  });

test('only what a hammer of the node can do is offered, and carried out', async () => {
  const offered = (await ask('GET', '/nodes/n1/actions')).json<{
    items: { action: string; disruptive: boolean }[];
  }>();
  expect(offered.items.map((item) => item.action)).toEqual([
    'power-status',
    'power-on',
    'power-off',
    'power-reset',
  ]);
  expect((await ask('POST', '/nodes/n1/actions/power-on')).statusCode).toBe(202);
  expect(done).toEqual(['on']);
  expect((await ask('POST', '/nodes/n1/actions/power-status')).json()).toMatchObject({
    answer: { power: 'on' },
  });
  const reboot = await ask('POST', '/nodes/n1/actions/reboot');
  expect(reboot.statusCode).toBe(422);
  expect(reboot.json()).toMatchObject({
    code: 'refused',
    offered: ['power-status', 'power-on', 'power-off', 'power-reset'],
  });
});

test('a BMC that does not answer, or lies, is told apart and told in words', async () => {
  const gone = await ask('POST', '/nodes/n1/actions/power-off');
  expect(gone.json()).toMatchObject({
    status: 503,
    code: 'unavailable',
    detail: 'the BMC does not answer',
  });
  const lied = await ask('POST', '/nodes/n1/actions/power-reset');
  expect(lied.json()).toMatchObject({ status: 422, code: 'refused' });
});

test('a hammer that could never act is refused when it is set, with every reason', async () => {
  const put = async (kind: string, body: object) => {
    const answer = await ask('PUT', `/nodes/n1/hammers/${kind}`, body);
    const { refusals = [] } = answer.json<{ refusals?: { path: string }[] }>();
    return { status: answer.statusCode, paths: refusals.map(({ path }) => path) };
  };
  const ipmi = { endpoint: '-H $(reboot)', username: 'a b', config: { cipherSuite: 99 } };
  expect((await put('ipmi', ipmi)).paths).toEqual(['endpoint', 'username', 'config/cipherSuite']);
  const redfish = { endpoint: '10.0.1.21', config: { certificateSha256: 'abc' } };
  expect((await put('redfish', redfish)).paths).toEqual(['endpoint', 'config/certificateSha256']);
  expect((await put('ipmi', { endpoint: '10.0.1.21:623', username: 'admin' })).status).toBe(200);
});
