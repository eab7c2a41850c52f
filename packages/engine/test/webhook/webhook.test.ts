import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createTestDatabase, eventually, type TestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import {
  createNode,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhookDeliveries,
  masterKey,
  putSecret,
  putSetting,
  readEvents,
  sequenceEvents,
  SILENT,
  START,
  startDelivery,
  updateWebhook,
  verifyWebhook,
} from '@hostwright/engine';
import { guardedLookup, isInnerAddress } from '../../src/webhook/target.ts';

interface Received {
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

const startReceiver = async (answer: (received: Received) => number | undefined) => {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const one = { body, headers: request.headers };
      received.push(one);
      const status = answer(one);
      if (status === undefined) return; // never answers
      response.writeHead(status, { location: '/elsewhere' });
      response.end('x'.repeat(100_000));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    received,
    url: `http://127.0.0.1:${port}/hook`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const master = masterKey(randomBytes(32));
const prepare = async (database: TestDatabase) => {
  await putSecret(database.db, {
    name: 'hook',
    value: 's3cret-of-the-hook',
    master,
    actor: 'anna',
  });
  await putSetting(database.db, { key: 'webhook.allowInner', value: true });
};
const deliver = (database: TestDatabase, attemptLimit?: number) =>
  startDelivery({
    database,
    log: SILENT,
    master,
    tickMs: 500,
    ...(attemptLimit === undefined ? {} : { attemptLimit }),
  });

test('a delivery is signed over time and body, and only the kinds asked for come', async () => {
  await using database = await createTestDatabase();
  await using receiver = await startReceiver(() => 204);
  const { db } = database;
  await prepare(database);
  const made = await createWebhook(db, {
    name: 'w',
    url: receiver.url,
    kinds: ['node.created'],
    secret: 'hook',
    actor: 'anna',
  });
  expect(made.ok).toBe(true);
  const delivery = await deliver(database);
  for (const name of ['n1', 'n2', 'n3']) await createNode(db, { name, actor: 'test' });
  await eventually(() => receiver.received.length === 3);
  const names = receiver.received.map(({ body, headers }) => {
    const signature = String(headers['hostwright-signature']);
    const nowSeconds = Date.now() / 1000;
    const given = { secret: 's3cret-of-the-hook', body, signature, nowSeconds };
    expect(verifyWebhook(given)).toBe(true);
    expect(verifyWebhook({ ...given, body: `${body} ` })).toBe(false);
    expect(verifyWebhook({ ...given, secret: 'other' })).toBe(false);
    expect(verifyWebhook({ ...given, nowSeconds: nowSeconds + 3600 })).toBe(false);
    const sent = JSON.parse(body) as { delivery: string; event: { payload: { name: string } } };
    expect(headers['hostwright-delivery']).toBe(sent.delivery);
    return sent.event.payload.name;
  });
  expect(names).toEqual(['n1', 'n2', 'n3']);
  const log = await eventually(async () => {
    const found = await listWebhookDeliveries(db, { webhookId: made.ok ? made.webhook.id : 0 });
    return found.length === 3 && found;
  });
  expect(log.every((row) => row.deliveredAt !== null && row.attempts === 1)).toBe(true);
  await delivery.stop();
});

test('a receiver that fails is asked again and gets nothing twice that it has taken', async () => {
  await using database = await createTestDatabase();
  let failures = 1;
  await using receiver = await startReceiver(({ body }) =>
    body.includes('"n2"') && failures-- > 0 ? 500 : 200,
  );
  const { db } = database;
  await prepare(database);
  await createWebhook(db, {
    name: 'w',
    url: receiver.url,
    kinds: ['node.*'],
    secret: 'hook',
    actor: 'a',
  });
  const delivery = await deliver(database);
  for (const name of ['n1', 'n2', 'n3']) await createNode(db, { name, actor: 'test' });
  await eventually(() => receiver.received.length === 4);
  const ids = receiver.received.map(({ headers }) => headers['hostwright-delivery']);
  expect(ids[1]).toBe(ids[2]);
  expect(new Set(ids).size).toBe(3);
  await delivery.stop();
});

test('what is never taken becomes a dead letter, and a receiver that is gone is switched off', async () => {
  await using database = await createTestDatabase();
  await using receiver = await startReceiver(() => 302); // a redirect is not followed
  const { db } = database;
  await prepare(database);
  const made = await createWebhook(db, {
    name: 'w',
    url: receiver.url,
    kinds: ['node.*'],
    secret: 'hook',
    actor: 'a',
  });
  const delivery = await deliver(database, 1);
  for (let n = 0; n < 12; n++) await createNode(db, { name: `n-${n}`, actor: 'test' });
  await eventually(async () => (await findWebhook(db, 'w'))?.active === false);
  expect(await findWebhook(db, 'w')).toMatchObject({
    disabledReason: expect.stringMatching(/10 deliveries in a row failed; the last: answered 302/),
  });
  const log = await listWebhookDeliveries(db, { webhookId: made.ok ? made.webhook.id : 0 });
  expect(log[0]).toMatchObject({ status: 302, deadAt: expect.any(Date), attempts: 1 });
  await sequenceEvents(db);
  const { events } = await readEvents(db, {
    after: START,
    filter: { kinds: ['webhook.disabled'] },
  });
  expect(events).toHaveLength(1);
  expect(receiver.received.every(({ headers }) => !('authorization' in headers))).toBe(true);
  // switched on again, it goes on where it was
  expect(
    await updateWebhook(db, { webhook: 'w', changes: { active: true }, actor: 'a' }),
  ).toMatchObject({ webhook: { disabledReason: null } });
  const webhookId = made.ok ? made.webhook.id : 0;
  await eventually(async () => (await listWebhookDeliveries(db, { webhookId })).length === 12, {
    limitSeconds: 50,
  });
  await delivery.stop();
});

test('inner addresses are refused unless a setting allows them, however they are written', async () => {
  await using database = await createTestDatabase();
  await using receiver = await startReceiver(() => 200);
  const { db } = database;
  await prepare(database);
  const port = new URL(receiver.url).port;
  await createWebhook(db, {
    name: 'w',
    url: `http://localhost:${port}/`,
    kinds: ['node.*'],
    secret: 'hook',
    actor: 'a',
  });
  await putSetting(db, { key: 'webhook.allowInner', value: false });
  for (const url of [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://db.localhost/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://user:pass@example.org/',
    'ftp://example.org/',
    'no url',
  ])
    expect([
      url,
      await createWebhook(db, { name: 'x', url, secret: 'hook', actor: 'a' }),
    ]).toMatchObject([url, { ok: false, refusals: [{ path: 'url' }] }]);
  // what was saved while the setting allowed it is refused when it is to be delivered
  const delivery = await deliver(database, 1);
  await createNode(db, { name: 'n1', actor: 'test' });
  const dead = await eventually(async () => {
    const webhook = await findWebhook(db, 'w');
    const log = await listWebhookDeliveries(db, { webhookId: webhook?.id ?? 0 });
    return log[0];
  });
  expect(dead.error).toMatch(/webhook\.allowInner/);
  expect(receiver.received).toEqual([]);
  await delivery.stop();
  // a name of any look is judged by the addresses it has in the moment of connecting
  const connecting = Promise.withResolvers<string | undefined>();
  guardedLookup(false)('localhost', {}, (error) => connecting.resolve(error?.message));
  expect(await connecting.promise).toMatch(/inner address .*webhook\.allowInner/);
  expect(isInnerAddress('2002:7f00:1::')).toBe(true);
  expect(isInnerAddress('8.8.8.8')).toBe(false);
  expect(isInnerAddress('2001:4860:4860::8888')).toBe(false);
});

test('a webhook needs a secret that exists and kinds that exist, and says all that is wrong at once', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await prepare(database);
  expect(
    await createWebhook(db, {
      name: 'W W',
      url: 'x',
      kinds: ['node.created', 'no.such'],
      secret: 'none',
      actor: 'a',
    }),
  ).toMatchObject({
    ok: false,
    refusals: [{ path: 'name' }, { path: 'url' }, { path: 'kinds' }, { path: 'secret' }],
  });
  const good = { name: 'w', url: 'https://example.org/', secret: 'hook', actor: 'a' };
  expect(await createWebhook(db, good)).toMatchObject({ ok: true });
  expect(await createWebhook(db, good)).toMatchObject({
    ok: false,
    refusals: [{ code: 'name_taken' }],
  });
  await deleteWebhook(db, { webhook: 'w', actor: 'a' });
  await expect(deleteWebhook(db, { webhook: 'w', actor: 'a' })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('a webhook renamed to a name that is taken is refused; of two changes to one revision one wins', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await prepare(database);
  for (const name of ['one', 'two'])
    await createWebhook(db, { name, url: 'https://192.0.2.1/', secret: 'hook', actor: 'a' });
  expect(
    await updateWebhook(db, { webhook: 'one', changes: { name: 'two' }, actor: 'a' }),
  ).toMatchObject({ ok: false, refusals: [{ code: 'name_taken', path: 'name' }] });
  const revision = (await findWebhook(db, 'one'))?.revision;
  const changed = await Promise.allSettled(
    ['node.*', 'run.*'].map((kind) =>
      updateWebhook(db, { webhook: 'one', revision, changes: { kinds: [kind] }, actor: 'a' }),
    ),
  );
  expect(changed.map((result) => result.status).toSorted()).toEqual(['fulfilled', 'rejected']);
});
