import { createTestDatabase, eventually } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import {
  createNode,
  emit,
  emitAll,
  readEvents,
  readHead,
  sequenceEvents,
  SILENT,
  START,
  startEventFeed,
  transaction,
  type Cursor,
  type EventRecord,
} from '@hostwright/engine';

const emitHook = (n: number) => ({ kind: 'hook.event', payload: { n } }) as const;
const numbers = (events: readonly EventRecord[]) => events.map((event) => event.payload['n']);

test('a transaction that commits late is not skipped by a reader that was there before', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const late = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const slow = transaction(db, async (tx) => {
    await emit(tx, emitHook(1)); // the smaller ids are its
    opened.resolve();
    await late.promise;
  });
  await opened.promise;
  await transaction(db, (tx) => emit(tx, emitHook(2)));
  await sequenceEvents(db);
  const first = await readEvents(db, { after: START });
  expect(numbers(first.events)).toEqual([2]);
  late.resolve();
  await slow;
  await sequenceEvents(db);
  const second = await readEvents(db, { after: first.cursor });
  expect(numbers(second.events)).toEqual([1]);
});

test('a transaction that opened its batch first but changed the row second is read second', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const node = await createNode(db, { name: 'n1', actor: 'test' });
  if (!node.ok) throw new Error('not created');
  await sequenceEvents(db);
  const from = await readHead(db);
  const early = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const setDescription = (description: string) => ({ description });
  const second = transaction(db, async (tx) => {
    await emit(tx, emitHook(0));
    early.resolve();
    await go.promise;
    await tx.updateTable('node').set(setDescription('second')).where('name', '=', 'n1').execute();
    await emit(tx, { ...emitHook(2), nodeId: node.node.id });
  });
  await early.promise;
  await transaction(db, async (tx) => {
    await tx.updateTable('node').set(setDescription('first')).where('name', '=', 'n1').execute();
    await emit(tx, { ...emitHook(1), nodeId: node.node.id });
  });
  go.resolve();
  await second;
  await sequenceEvents(db); // both placed at once: only the order within can be wrong
  const page = await readEvents(db, {
    after: from,
    filter: { nodeIds: [node.node.id], kinds: ['hook.event'] },
  });
  expect(numbers(page.events)).toEqual([1, 2]);
});

test('changes of one noderole are read in the order they were made, whoever makes and places them', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const names = ['a1', 'a2', 'a3'];
  for (const name of names) await createNode(db, { name, actor: 'test' });
  const rounds = 40;
  const writer = async (seed: number) => {
    for (let round = 0; round < rounds; round++) {
      const own = names[(seed + round) % names.length] ?? '';
      const other = names[(seed + round + 1) % names.length] ?? '';
      await transaction(db, async (tx) => {
        // opens the batch before it waits for any row
        await emit(tx, { kind: 'hook.event', payload: { seed, round } });
        for (const name of [own, other].toSorted())
          await tx
            .updateTable('node')
            .set((row) => ({ revision: row('revision', '+', 1), description: `${seed} ${round}` }))
            .where('name', '=', name)
            .returning('revision')
            .executeTakeFirstOrThrow()
            .then(({ revision }) => emit(tx, { kind: 'hook.event', payload: { name, revision } }));
      });
    }
  };
  const placer = { on: true };
  const placing = [1, 2].map(async () => {
    while (placer.on) await sequenceEvents(db);
  });
  await Promise.all([1, 2, 3, 4, 5, 6].map(writer));
  placer.on = false;
  await Promise.all(placing);
  await sequenceEvents(db);
  const seen = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let after: Cursor = START, more = true; more;) {
    const page = await readEvents(db, { after, limit: 50 });
    for (const event of page.events)
      if (
        typeof event.payload['name'] === 'string' &&
        typeof event.payload['revision'] === 'number'
      )
        seen.get(event.payload['name'])?.push(event.payload['revision']);
    ({ cursor: after, more } = page);
  }
  for (const revisions of seen.values())
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  expect([...seen.values()].flat()).toHaveLength(6 * rounds * 2);
});

test('a batch larger than a page is read whole, in order, and resumes inside', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await transaction(db, (tx) =>
    emitAll(
      tx,
      Array.from({ length: 1234 }, (_, n) => emitHook(n)),
    ),
  );
  await transaction(db, (tx) => emit(tx, emitHook(1234)));
  await sequenceEvents(db);
  const seen: unknown[] = [];
  for (let after: Cursor = START, more = true; more;) {
    const page = await readEvents(db, { after, limit: 100 });
    seen.push(...numbers(page.events));
    ({ cursor: after, more } = page);
  }
  expect(seen).toEqual(Array.from({ length: 1235 }, (_, n) => n));
});

test('a filter leaves events out and still moves on', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  for (let n = 0; n < 30; n++)
    await transaction(db, (tx) =>
      emit(tx, n % 10 === 0 ? emitHook(n) : { kind: 'jig.changed', payload: { name: 'x' } }),
    );
  await sequenceEvents(db);
  const page = await readEvents(db, { after: START, limit: 7, filter: { kinds: ['hook.*'] } });
  expect(numbers(page.events)).toEqual([0]);
  expect(page.more).toBe(true);
  const rest: unknown[] = [];
  for (let { cursor: after, more } = page; more;) {
    const next = await readEvents(db, { after, limit: 7, filter: { kinds: ['hook.event'] } });
    rest.push(...numbers(next.events));
    ({ cursor: after, more } = next);
  }
  expect(rest).toEqual([10, 20]);
});

test('a subscriber that never answers holds up no other, and a resumed one misses nothing', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const feed = await startEventFeed({ database, log: SILENT });
  const stuck = Promise.withResolvers<void>();
  feed.subscribe({ onEvents: () => stuck.promise });
  const seen: unknown[] = [];
  const reader = feed.subscribe({ onEvents: (page) => void seen.push(...numbers(page.events)) });
  for (let n = 0; n < 20; n++) await transaction(db, (tx) => emit(tx, emitHook(n)));
  await eventually(() => seen.length === 20);
  reader.close();
  for (let n = 20; n < 30; n++) await transaction(db, (tx) => emit(tx, emitHook(n)));
  const resumed = feed.subscribe({
    after: reader.cursor(),
    onEvents: (page) => void seen.push(...numbers(page.events)),
  });
  await eventually(() => seen.length === 30);
  expect(seen).toEqual(Array.from({ length: 30 }, (_, n) => n));
  resumed.close();
  stuck.resolve();
  await feed.stop();
});

test('the feed goes on by itself when every connection was cut', async () => {
  await using database = await createTestDatabase();
  const { db, pool } = database;
  const feed = await startEventFeed({ database, log: SILENT });
  const seen: unknown[] = [];
  feed.subscribe({ onEvents: (page) => void seen.push(...numbers(page.events)) });
  await transaction(db, (tx) => emit(tx, emitHook(0)));
  await eventually(() => seen.length === 1);
  await pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  for (let n = 1; n < 4; n++)
    await eventually(() => transaction(db, (tx) => emit(tx, emitHook(n))).then(() => true));
  await eventually(() => seen.length >= 4);
  expect([...new Set(seen)]).toEqual([0, 1, 2, 3]);
  await feed.stop();
});

test('a subscriber that wants other kinds than those before it misses none, whenever it comes', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const feed = await startEventFeed({ database, log: SILENT });
  feed.subscribe({ filter: { kinds: ['jig.changed'] }, onEvents: () => {} });
  const writing = { on: true };
  let written = 0;
  const writer = (async () => {
    while (writing.on) await transaction(db, (tx) => emit(tx, emitHook(written++)));
  })();
  const readers: { from: Cursor; seen: unknown[] }[] = [];
  const filters = [
    { kinds: ['hook.event'] },
    { kinds: ['hook.*', 'node.*'] },
    {},
    { kinds: ['hook.event', 'jig.changed'] },
  ];
  for (let n = 0; n < 24; n++) {
    const until = written + 2;
    await eventually(() => written > until);
    const reader = { from: feed.head(), seen: [] as unknown[] };
    readers.push(reader);
    const subscription = feed.subscribe({
      after: reader.from,
      filter: filters[n % filters.length] ?? {},
      onEvents: (page) => void reader.seen.push(...numbers(page.events)),
    });
    if (n % 3 === 0) setImmediate(() => subscription.close());
    if (n % 3 === 0) readers.pop();
  }
  writing.on = false;
  await writer;
  for (const reader of readers) {
    const expected: unknown[] = [];
    await eventually(() => reader.seen.includes(written - 1));
    for (let after = reader.from, more = true; more;) {
      const page = await readEvents(db, { after, filter: { kinds: ['hook.event'] } });
      expected.push(...numbers(page.events));
      ({ cursor: after, more } = page);
    }
    expect(reader.seen).toEqual(expected);
  }
  await feed.stop();
});
