import { createClient } from '@hostwright/api';
import { event_stream, type Event } from '@hostwright/api/nouns/event';
import { node_create } from '@hostwright/api/nouns/node';
import { run_log_stream } from '@hostwright/api/nouns/run';
import { get, type ClientRequest, type IncomingMessage } from 'node:http';
import { sql } from 'kysely';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

let world: World;
let url: string;
beforeAll(async () => {
  world = await createWorld({ streamStallSeconds: 1 });
  await world.app.listen({ host: '127.0.0.1', port: 0 });
  url = world.context.url().replace('localhost', '127.0.0.1');
});
afterAll(() => world.stop());

const clientOf = (role: 'viewer' | 'operator') => createClient({ url, token: world.tokens[role] });

const makeNode = (name: string) => clientOf('operator').call(node_create, { body: { name } });

/** Reads until a node of that name was made; gives every name seen and where it stopped. */
const namesUntil = async (last: string, lastEventId: string | undefined, onOpen?: () => void) => {
  const stop = new AbortController();
  const names: string[] = [];
  let cursor = lastEventId;
  const stream = clientOf('viewer').stream(
    event_stream,
    { query: { kind: ['node.created'] } },
    { signal: stop.signal, ...(lastEventId === undefined ? {} : { lastEventId }) },
  );
  for await (const message of stream) {
    cursor = message.id;
    if (message.event === 'hello') onOpen?.();
    if (message.event !== 'node.created') continue;
    const { payload } = JSON.parse(message.data) as Event;
    if (typeof payload['name'] === 'string') names.push(payload['name']);
    if (names.at(-1) === last) stop.abort();
  }
  return { names, cursor };
};

test('a stream tells what happens, and resumed with the last id it misses and repeats nothing', async () => {
  const opened = Promise.withResolvers<void>();
  const first = namesUntil('s3', undefined, opened.resolve);
  await opened.promise;
  for (const name of ['s1', 's2', 's3', 's4', 's5']) await makeNode(name);
  const { names, cursor } = await first;
  expect(names).toEqual(['s1', 's2', 's3']);
  const second = await namesUntil('s5', cursor);
  expect(second.names).toEqual(['s4', 's5']);
});

test('a stream that the server ends is taken up again by the client', async () => {
  const opened = Promise.withResolvers<void>();
  const reading = namesUntil('t2', undefined, opened.resolve);
  await opened.promise;
  await makeNode('t1');
  for (const stream of world.context.streams) stream.end();
  await makeNode('t2');
  const { names } = await reading;
  expect(names).toEqual(['t1', 't2']);
});

test('a stream refused for want of a token says so instead of trying for ever', async () => {
  const stranger = createClient({ url, token: 'hwa_stranger' });
  const stream = stranger.stream(event_stream, {}, { signal: AbortSignal.timeout(20_000) });
  await expect(stream.next()).rejects.toMatchObject({ code: 'unauthenticated' });
});

/** About 40 MB in one transaction: more than socket buffers take. */
const flood = () =>
  sql`
    with batch as (select event_batch_id() as id)
    insert into event (batch_id, kind, payload)
    select batch.id, 'hook.event', jsonb_build_object('text', repeat('x', 20000)) from batch, generate_series(1, 2000)`.execute(
    world.database.db,
  );

test('a client that does not read is dropped, while one that reads gets every event of a flood', async () => {
  const started = Promise.withResolvers<IncomingMessage>();
  const request: ClientRequest = get(
    `${url}/api/v2/events`,
    { headers: { authorization: `Bearer ${world.tokens.viewer}` } },
    started.resolve,
  );
  request.on('error', () => {});
  const response = await started.promise;
  response.pause();
  response.on('error', () => {});
  const stop = new AbortController();
  const opened = Promise.withResolvers<void>();
  const reading = (async () => {
    let count = 0;
    const stream = clientOf('viewer').stream(
      event_stream,
      { query: { kind: ['hook.*'] } },
      { signal: stop.signal },
    );
    for await (const message of stream) {
      if (message.event === 'hello') opened.resolve();
      else count += 1;
      if (count === 2000) stop.abort();
    }
    return count;
  })();
  await opened.promise;
  expect(world.context.streams.size).toBe(2);
  await flood();
  expect(await reading).toBe(2000);
  await eventually(() => world.context.streams.size === 0, {
    what: 'the client that does not read to be dropped',
  });
  request.destroy();
});

test('the log of a run is followed line by line until the run has ended', async () => {
  const { db } = world.database;
  const { rows } = await sql<{ id: number }>`
    insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, status, worker_id, deadline_at, started_at)
    select 1, n.id, 1, n.deployment_id, 'host', 'noop', 'running', 1, now() + interval '1 hour', now() from node n where n.name = 's1'
    returning id`.execute(db);
  const run = rows[0]?.id ?? 0;
  const line = (seq: number, text: string) =>
    sql`insert into run_log (run_id, seq, stream, text) values (${run}, ${seq}, 'out', ${text})`.execute(
      db,
    );
  await line(0, 'one');
  const seen: string[] = [];
  const stream = clientOf('viewer').stream(
    run_log_stream,
    { params: { run } },
    { signal: AbortSignal.timeout(30_000) },
  );
  for await (const message of stream) {
    seen.push(
      message.event === 'line'
        ? (JSON.parse(message.data) as { text: string }).text
        : message.event,
    );
    if (seen.length === 1) {
      await line(1, 'two');
      await sql`update run set status = 'succeeded', ended_at = now() where id = ${run}`.execute(
        db,
      );
    }
  }
  expect(seen).toEqual(['one', 'two', 'end']);
  const tail = await world.ask('viewer', { url: `/runs/${run}/log?tail=1` });
  expect(tail.json).toMatchObject({ lines: [{ text: 'two' }], ended: true, status: 'succeeded' });
});

test('stopping the server ends open streams instead of waiting for them', async () => {
  const other = await createWorld();
  await other.app.listen({ host: '127.0.0.1', port: 0 });
  const broken = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const stop = new AbortController();
  const client = createClient({
    url: other.context.url().replace('localhost', '127.0.0.1'),
    token: other.tokens.viewer,
  });
  const reading = (async () => {
    const stream = client.stream(
      event_stream,
      {},
      {
        signal: stop.signal,
        onState: (state) => (state === 'broken' ? broken.resolve() : undefined),
      },
    );
    for await (const message of stream) if (message.event === 'hello') opened.resolve();
  })();
  await opened.promise;
  await other.stop();
  await broken.promise;
  stop.abort();
  await reading;
});
