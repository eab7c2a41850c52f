/** What the server does with what machines say, true or not. */
import { randomUUID } from 'node:crypto';
import { connect, type TLSSocket } from 'node:tls';
import { ensureAdminNode, reportHello, reportInventory } from '@hostwright/engine';
import { eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSite, type Site } from './site.ts';

let site: Site;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

interface Speaker {
  readonly nodeId: number;
  readonly token: string;
  boot: string;
}

const ask = (
  method: 'GET' | 'POST',
  url: string,
  options: { token?: string; boot?: string; body?: unknown } = {},
) =>
  site.server().app.inject({
    method,
    url,
    headers: {
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...(options.boot !== undefined && { 'x-hostwright-boot': options.boot }),
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(options.body !== undefined && {
      payload:
        typeof options.body === 'string' || Buffer.isBuffer(options.body)
          ? options.body
          : JSON.stringify(options.body),
    }),
  });

const lines = (text: string): Map<string, string> =>
  new Map(
    text
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

const joinBody = (uuid: string, boot: string): object => ({
  hostname: `h-${uuid.slice(0, 8)}`,
  boot_id: boot,
  system_uuid: uuid,
  macs: [],
});

const speaker = async (uuid = randomUUID()): Promise<Speaker> => {
  const boot = randomUUID();
  const joined = await ask('POST', '/agent/v1/join', {
    token: await site.joinToken(1),
    body: joinBody(uuid, boot),
  });
  expect(joined.statusCode).toBe(200);
  const said = lines(joined.body);
  const token = said.get('token') ?? '';
  const hello = await ask('POST', '/agent/v1/hello', { token, body: { boot_id: boot } });
  expect(hello.body).toMatch(/^epoch=1\npoll_seconds=25\n$/);
  return { nodeId: Number(said.get('node')), token, boot };
};

const script = { '01.sh': '#!/bin/sh\n' };

test('a token of another node gets nothing of this one and changes nothing', async () => {
  const [mine, other] = [await speaker(), await speaker()];
  const { runId, token } = await site.offer({ nodeId: mine.nodeId, scripts: script });
  const path = `/agent/v1/task/${runId}/${token}`;
  const foreign = { token: other.token, boot: other.boot };
  expect((await ask('GET', `${path}/bundle`, foreign)).statusCode).toBe(409);
  expect((await ask('POST', `${path}/started`, foreign)).statusCode).toBe(409);
  expect((await ask('POST', `${path}/log?offset=0`, { ...foreign, body: 'x\n' })).statusCode).toBe(
    409,
  );
  expect(
    (await ask('POST', `${path}/result`, { ...foreign, body: { exit_code: 0 } })).statusCode,
  ).toBe(409);
  expect((await ask('GET', '/agent/v1/task?wait=0', foreign)).statusCode).toBe(204);
  expect(
    (await ask('GET', '/agent/v1/live', { token: 'made-up', boot: mine.boot })).statusCode,
  ).toBe(401);
  const task = await sql<{
    status: string;
  }>`select status from agent_task where run_id = ${runId}`.execute(site.database.db);
  expect(task.rows[0]?.status).toBe('offered');
  expect(await site.evidence(runId)).toBeUndefined();
});

test('a boot id of an earlier boot is refused everywhere and changes nothing', async () => {
  const machine = await speaker();
  const old = machine.boot;
  const boot = randomUUID();
  const hello = await ask('POST', '/agent/v1/hello', {
    token: machine.token,
    body: { boot_id: boot },
  });
  expect(hello.body).toContain('epoch=2\n');
  const { runId, token } = await site.offer({ nodeId: machine.nodeId, scripts: script });
  const stale = { token: machine.token, boot: old };
  const path = `/agent/v1/task/${runId}/${token}`;
  for (const answer of [
    await ask('POST', '/agent/v1/hello', { token: machine.token, body: { boot_id: old } }),
    await ask('GET', '/agent/v1/task?wait=0', stale),
    await ask('POST', '/agent/v1/inventory', { ...stale, body: { cpu: {} } }),
    await ask('POST', `${path}/started`, stale),
    await ask('POST', `${path}/result`, { ...stale, body: { exit_code: 0 } }),
  ])
    expect(answer.json()).toMatchObject({ status: 409, code: 'stale_token' });
  expect(await site.evidence(runId)).toBeUndefined();
  const node = await sql<{ boot_id: string; discovery: object }>`
    select boot_id, discovery from node where id = ${machine.nodeId}`.execute(site.database.db);
  expect(node.rows[0]).toEqual({ boot_id: boot, discovery: {} });
});

test('a parked poll is answered as soon as work is offered, and a run only once it is acknowledged', async () => {
  const machine = await speaker();
  const me = { token: machine.token, boot: machine.boot };
  const poll = ask('GET', '/agent/v1/task?wait=20', me);
  await eventually(() => site.connected() > 0);
  const { runId, token } = await site.offer({ nodeId: machine.nodeId, scripts: script });
  const answer = await poll;
  expect(answer.body).toContain(`run=${runId}\ntoken=${token}\nlane=host\naction=run\n`);
  const path = `/agent/v1/task/${runId}/${token}`;
  expect((await ask('POST', `${path}/started`, me)).statusCode).toBe(200);
  expect((await ask('POST', `${path}/started`, me)).statusCode).toBe(200);
  expect((await ask('GET', '/agent/v1/live', me)).body).toBe(`run=${runId} token=${token}\n`);
  expect((await ask('GET', '/agent/v1/task?wait=0', me)).statusCode).toBe(204);
});

test('output sent twice, out of order or in halves is stored once and whole', async () => {
  const machine = await speaker();
  const me = { token: machine.token, boot: machine.boot };
  const { runId, token } = await site.offer({ nodeId: machine.nodeId, scripts: script });
  const path = `/agent/v1/task/${runId}/${token}`;
  await ask('POST', `${path}/started`, me);
  const send = async (offset: number, body: string | Buffer, last = 0): Promise<string> =>
    (await ask('POST', `${path}/log?offset=${offset}&last=${last}`, { ...me, body })).body.trim();
  expect(await send(0, 'one\ntw')).toBe('offset=4');
  expect(await send(0, 'one\ntw')).toBe('offset=4');
  expect(await send(100, 'far ahead\n')).toBe('offset=4');
  expect(await send(2, Buffer.from('e\ntwo \u0000 \xff\nthree', 'latin1'))).toBe('offset=12');
  expect(await send(12, 'three', 1)).toBe('offset=17');
  expect(await site.logOf(runId)).toBe('one\ntwo \ufffd \ufffd\nthree');
});

test('a result is taken once; one for a run that is over is thrown away', async () => {
  const machine = await speaker();
  const me = { token: machine.token, boot: machine.boot };
  const first = await site.offer({ nodeId: machine.nodeId, scripts: script });
  const path = `/agent/v1/task/${first.runId}/${first.token}`;
  await ask('POST', `${path}/started`, me);
  const result = { ...me, body: { exit_code: 0, wall: '{"a":1}{"b":' } };
  expect((await ask('POST', `${path}/result`, result)).statusCode).toBe(200);
  expect((await ask('POST', `${path}/result`, result)).statusCode).toBe(200);
  expect(await site.evidence(first.runId)).toMatchObject({
    exitCode: 0,
    wall: {},
    wallError: expect.stringMatching(/ends within/),
  });
  await site.endRun(first.runId);
  const second = await site.offer({ nodeId: machine.nodeId, scripts: script });
  await site.endRun(second.runId);
  const late = await ask('POST', `/agent/v1/task/${second.runId}/${second.token}/result`, result);
  expect(late.statusCode).toBe(409);
  expect(await site.evidence(second.runId)).toBeUndefined();
});

test('a machine that says its secret in result and reason leaves it in no table', async () => {
  const machine = await speaker();
  const me = { token: machine.token, boot: machine.boot };
  // looks like a number, so that masking JSON as text would break it
  const pin = '48151623';
  const { runId, token } = await site.offer({
    nodeId: machine.nodeId,
    scripts: script,
    secrets: [pin],
  });
  const path = `/agent/v1/task/${runId}/${token}`;
  await ask('POST', `${path}/started`, me);
  const body = { exit_code: 1, reason: `bad ${pin}`, wall: { at: Number(`${pin}42`), [pin]: pin } };
  expect((await ask('POST', `${path}/result`, { ...me, body })).statusCode).toBe(200);
  expect(await site.evidence(runId)).toMatchObject({
    reason: 'bad [secret]',
    wall: { at: '[secret]42', '[secret]': '[secret]' },
  });
  const { rows } = await sql<{ kept: string }>`
    select t::text as kept from agent_task t where run_id = ${runId}`.execute(site.database.db);
  expect(rows[0]?.kept).not.toContain(pin);
});

test('oversized and absurd bodies are refused in a sentence', async () => {
  const machine = await speaker();
  const me = { token: machine.token, boot: machine.boot };
  const { runId, token } = await site.offer({ nodeId: machine.nodeId, scripts: script });
  const path = `/agent/v1/task/${runId}/${token}`;
  await ask('POST', `${path}/started`, me);
  const code = async (url: string, body: unknown, with_: object = me): Promise<number> =>
    (await ask('POST', url, { ...with_, body })).statusCode;
  expect(await code('/agent/v1/inventory', `{"a":"${'x'.repeat(2_000_000)}"}`)).toBe(413);
  expect(await code('/agent/v1/inventory', 'not json')).toBe(400);
  expect(await code('/agent/v1/inventory', [1])).toBe(400);
  expect(await code('/agent/v1/hello', { boot_id: 'x'.repeat(1000) })).toBe(400);
  expect(await code('/agent/v1/hello', '')).toBe(400);
  expect(await code(`${path}/log?offset=0`, 'x'.repeat(500_000))).toBe(413);
  expect(await code(`${path}/log?offset=-1`, 'x')).toBe(400);
  expect(await code(`${path}/result`, { exit_code: 1e9 })).toBe(400);
  expect(await code(`/agent/v1/task/1e3/x/result`, { exit_code: 0 })).toBe(400);
  const join = { token: await site.joinToken(1) };
  expect(await code('/agent/v1/join', { hostname: 'x'.repeat(100_000) }, join)).toBe(413);
  expect(await code('/agent/v1/join', { hostname: 7 }, join)).toBe(400);
  expect(await code('/agent/v1/join', { hostname: 'nobody', macs: [] }, join)).toBe(422);
});

test('a machine that claims to be one which is there, in another boot, is refused', async () => {
  const uuid = randomUUID();
  const machine = await speaker(uuid);
  const me = { token: machine.token, boot: machine.boot };
  const enough = new AbortController();
  const loop = (async () => {
    while (!enough.signal.aborted) await ask('GET', '/agent/v1/task?wait=1', me);
  })();
  await eventually(() => site.connected() > 0);
  const token = await site.joinToken(1);
  const impostor = await ask('POST', '/agent/v1/join', {
    token,
    body: joinBody(uuid, randomUUID()),
  });
  expect(impostor.json()).toMatchObject({ status: 409, code: 'conflict' });
  expect((await ask('GET', '/agent/v1/live', me)).statusCode).toBe(200);
  enough.abort();
  await loop;
  // the same machine, in the same boot, may: its old token dies
  const again = await ask('POST', '/agent/v1/join', { token, body: joinBody(uuid, machine.boot) });
  expect(lines(again.body).get('node')).toBe(String(machine.nodeId));
  await eventually(async () => (await ask('GET', '/agent/v1/live', me)).statusCode === 401);
});

test('the join script names this server by a name it has, whatever the header Host says', async () => {
  const { app } = site.server();
  const { port } = new URL(site.url);
  const urlFor = async (host: string): Promise<string | undefined> => {
    const answer = await app.inject({ url: '/join', headers: { host } });
    expect(answer.statusCode).toBe(200);
    return /url=\$\{HOSTWRIGHT_URL:-'([^']*)'\}/.exec(answer.body)?.[1];
  };
  expect(await urlFor(`127.0.0.1:${port}`)).toBe(`https://127.0.0.1:${port}`);
  expect(await urlFor(`LOCALHOST:${port}`)).toBe(`https://localhost:${port}`);
  expect(await urlFor(`[0:0:0:0:0:0:0:1]:${port}`)).toBe(`https://[::1]:${port}`);
  const safe = `https://localhost:${port}`;
  for (const host of [
    'evil.example:8443',
    `evil.example:${port}`,
    "x';reboot;'",
    'localhost@evil.example',
    'localhost:1',
    'localhost.evil.example',
    '',
  ])
    expect(await urlFor(host), host).toBe(safe);
});

test('a join token never makes a machine the admin node, not even on its own machine', async () => {
  const { db } = site.database;
  const admin = await ensureAdminNode(db, { hostname: 'chief', actor: 'test' });
  const uuid = randomUUID();
  const mac = '02:aa:00:00:00:01';
  await reportHello(db, { nodeId: admin.id, bootId: 'boot-1' });
  await reportInventory(db, {
    nodeId: admin.id,
    bootId: 'boot-1',
    facts: { dmi: { system_uuid: uuid, system_serial: 'CHIEF001' }, nics: [{ mac }] },
  });
  const joinAs = async (machine: object) =>
    ask('POST', '/agent/v1/join', {
      token: await site.joinToken(1),
      body: JSON.stringify({
        boot_id: 'boot-1',
        system_uuid: uuid,
        serial: 'CHIEF001',
        ...machine,
      }),
    });
  const same = await joinAs({ hostname: 'chief', macs: [mac] });
  expect(same.json()).toMatchObject({ status: 409, code: 'conflict' });
  expect(same.body).toContain('admin node chief');
  // a container on that machine shows its UUID and has a card of its own: a node like any other
  const inside = { hostname: 'inside', macs: [mac, '02:aa:00:00:00:02'] };
  const first = lines((await joinAs(inside)).body);
  expect(first.get('name')).toBe('inside');
  expect(first.get('node')).not.toBe(String(admin.id));
  expect(lines((await joinAs(inside)).body).get('node')).toBe(first.get('node'));
  const tokens = await sql`select from node_token where node_id = ${admin.id}`.execute(db);
  expect(tokens.rows).toEqual([]);
});

test('a poll that is hung up in the middle, or never finished, leaves nothing behind', async () => {
  const machine = await speaker();
  const { port } = new URL(site.url);
  const open = (): Promise<TLSSocket> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
      socket.once('secureConnect', () => resolve(socket));
      socket.once('error', reject);
    });
  const sockets = (): Promise<number> =>
    new Promise((resolve) => site.server().app.server.getConnections((_, count) => resolve(count)));
  const before = { parked: site.connected(), sockets: await sockets() };
  const head = `GET /agent/v1/task?wait=50 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${machine.token}\r\nx-hostwright-boot: ${machine.boot}\r\n`;
  for (const end of ['destroy', 'end'] as const) {
    const socket = await open();
    socket.on('error', () => {});
    socket.write(`${head}\r\n`);
    await eventually(() => site.connected() === before.parked + 1);
    socket[end]();
    await eventually(() => site.connected() === before.parked);
  }
  // half a request line, half the headers, half a body
  for (const part of [
    'GET /agent/v1/ta',
    head,
    `POST /agent/v1/hello HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${machine.token}\r\ncontent-length: 500\r\n\r\n{"boot`,
  ]) {
    const socket = await open();
    socket.on('error', () => {});
    await new Promise((resolve) => socket.write(part, resolve));
    socket.destroy();
  }
  await eventually(async () => (await sockets()) === before.sockets);
  // and the machine is served as before
  const me = { token: machine.token, boot: machine.boot };
  expect((await ask('GET', '/agent/v1/task?wait=0', me)).statusCode).toBe(204);
});

test('an address that keeps giving wrong join tokens is not listened to', async () => {
  const codes: number[] = [];
  for (let n = 0; n < 25; n++)
    codes.push(
      (
        await ask('POST', '/agent/v1/join', {
          token: `wrong${n}`,
          body: joinBody(randomUUID(), 'b'),
        })
      ).statusCode,
    );
  expect(codes.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
  expect(codes.slice(20)).toEqual([429, 429, 429, 429, 429]);
  const good = await ask('POST', '/agent/v1/join', {
    token: await site.joinToken(1),
    body: joinBody(randomUUID(), 'b'),
  });
  expect(good.headers['retry-after']).toBe('60');
});
