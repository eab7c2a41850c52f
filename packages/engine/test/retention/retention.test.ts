import { createTestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  cleanUp,
  emit,
  readEvents,
  readHead,
  putSetting,
  readRetention,
  RETENTION_DEFAULTS,
  sequenceEvents,
  START,
  transaction,
} from '@hostwright/engine';
import { seedNodes, seedNoderole, seedRoles } from '../seed-graph.ts';

test('a reader whose place is older than what is kept is told so, once, and goes on', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const write = (n: number) =>
    transaction(db, (tx) => emit(tx, { kind: 'hook.event', payload: { n } }));
  for (let n = 0; n < 20; n++) await write(n);
  await sequenceEvents(db);
  const { cursor } = await readEvents(db, { after: START, limit: 5 });
  await sql`update event set at = now() - interval '40 days' where (payload ->> 'n')::int < 15`.execute(
    db,
  );
  expect(await cleanUp(db, { chunk: 20 })).toMatchObject({ events: 15 });
  const page = await readEvents(db, { after: cursor });
  expect(page.lost).toBe(true);
  expect(page.events.map((event) => event.payload['n'])).toEqual([15, 16, 17, 18, 19]);
  expect(await readEvents(db, { after: page.cursor })).toMatchObject({ lost: false, events: [] });
  // one that wants all that is kept has lost nothing
  expect(await readEvents(db, { after: START })).toMatchObject({ lost: false });
  // positions go on after everything is gone
  await sql`update event set at = now() - interval '40 days'`.execute(db);
  await cleanUp(db);
  const head = await readHead(db);
  await write(20);
  await sequenceEvents(db);
  expect((await readEvents(db, { after: head })).events).toHaveLength(1);
});

test('old logs go, in chunks; runs, live runs and their attributes stay', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const roles = await seedRoles(db, [{ name: 'a' }]);
  const nodes = await seedNodes(db, 120);
  for (const node of nodes)
    await seedNoderole(db, { role: roles.get('a') ?? 0, node, state: 'active' });
  await sql`
    insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, status, log_lines, ended_at, attribs_hash, waiting_for, deadline_at)
    select id, node_id, role_id, deployment_id, lane, 'noop', case when node_id % 10 = 0 then 'waiting' else 'succeeded' end, 3,
      case when node_id % 10 = 0 then null else now() - make_interval(days => case when node_id % 2 = 0 then 60 else 1 end) end,
      'h' || node_id, 'x', now() from noderole`.execute(db);
  await sql`insert into run_log (run_id, seq, stream, text) select id, g, 'out', 'line' from run, generate_series(1, 3) g`.execute(
    db,
  );
  await sql`insert into frozen_attribs (hash, attribs, created_at) select attribs_hash, '{}', now() - interval '90 days' from run`.execute(
    db,
  );
  const cleaned = await cleanUp(db, { chunk: 500 });
  expect(cleaned).toMatchObject({ logs: 48, frozenAttribs: 48 });
  const { rows } = await sql<{ runs: number; lines: number; attribs: number; live: number }>`
    select (select count(*) from run) as runs, (select count(*) from run_log) as lines, (select count(*) from frozen_attribs) as attribs,
      (select count(*) from run r join run_log l on l.run_id = r.id where r.status = 'waiting') as live`.execute(
    db,
  );
  expect(rows[0]).toEqual({ runs: 120, lines: 72 * 3, attribs: 72, live: 12 * 3 });
});

test('the oldest logs go first when all together are too large', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const roles = await seedRoles(db, [{ name: 'a' }]);
  const nodes = await seedNodes(db, 100);
  for (const node of nodes)
    await seedNoderole(db, { role: roles.get('a') ?? 0, node, state: 'active' });
  await sql`
    insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, status, log_lines, ended_at)
    select id, node_id, role_id, deployment_id, lane, 'noop', 'succeeded', 10, now() - make_interval(mins => node_id::int) from noderole`.execute(
    db,
  );
  await sql`insert into run_log (run_id, seq, stream, text) select id, g, 'out', repeat('x', 1900) || random() from run, generate_series(1, 10) g`.execute(
    db,
  );
  const cleaned = await cleanUp(db, { policy: { ...RETENTION_DEFAULTS, logMegabytes: 1 } });
  expect(cleaned?.logs).toBeGreaterThan(20);
  const { rows } = await sql<{ kept: number; dropped: number }>`
    select (max(extract(epoch from now() - ended_at)) filter (where log_lines > 0))::float8 as kept,
           (min(extract(epoch from now() - ended_at)) filter (where log_lines = 0))::float8 as dropped from run`.execute(
    db,
  );
  expect(rows[0]?.kept).toBeLessThan(rows[0]?.dropped ?? 0);
});

test('what has expired goes, what is good stays; only one process cleans at a time', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await sql`insert into app_user (name, role) values ('anna', 'admin')`.execute(db);
  await sql`insert into session (id_hash, user_id, csrf, expires_at) values ('a', 1, '', now() - interval '1 hour'), ('b', 1, '', now() + interval '1 hour')`.execute(
    db,
  );
  await sql`insert into idempotency_key (actor, key, request_hash, created_at) values ('a', '1', '', now() - interval '2 days'), ('a', '2', '', now())`.execute(
    db,
  );
  await sql`insert into token (kind, hash, revoked_at) values ('api', 'x', now() - interval '60 days'), ('api', 'y', null)`.execute(
    db,
  );
  const both = await Promise.all([cleanUp(db), cleanUp(db)]);
  const done = both.filter((cleaned) => cleaned !== undefined);
  expect(done.length).toBeGreaterThanOrEqual(1);
  expect(done[0]).toMatchObject({ sessions: 1, idempotencyKeys: 1, tokens: 1 });
});

test('a policy is kept, and nonsense is refused by name', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  expect(await readRetention(db)).toEqual(RETENTION_DEFAULTS);
  await putSetting(db, { key: 'retention', value: { logDays: 5 } });
  expect(await readRetention(db)).toEqual({ ...RETENTION_DEFAULTS, logDays: 5 });
  const nonsense = { key: 'retention', value: { eventDays: 0, logDays: 'long' } };
  await expect(putSetting(db, nonsense)).rejects.toMatchObject({
    refusals: [
      { message: expect.stringContaining('retention.logDays') },
      { message: expect.stringContaining('retention.eventDays') },
    ],
  });
});
