/** The fleet in memory must equal the database, whatever happens while it is read and followed. */
import { NODEROLE_STATES } from '@hostwright/core';
import { readEvents, readFleet, startEventFeed, SILENT, type EventFeed } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFleetBook, type BookRow, type FleetBook } from '../src/fleet/book.ts';

const NODES = 60;
const ROLES = 6;

let database: TestDatabase;
let feed: EventFeed;
let book: FleetBook;
beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await sql`insert into jig (name) values ('noop')`.execute(db);
  await sql`insert into barclamp (name, version, source_path, content_hash) values ('b', '1', '/', 'x')`.execute(
    db,
  );
  await sql`insert into role (barclamp_id, name, jig) select b.id, 'r' || i, 'noop' from barclamp b, generate_series(1, ${ROLES}::int) i`.execute(
    db,
  );
  await sql`insert into deployment (name, parent_id) select 'work', id from deployment where system`.execute(
    db,
  );
  await sql`insert into node (name, deployment_id) select 'n' || i, d.id from deployment d, generate_series(1, ${NODES}::int) i where d.system`.execute(
    db,
  );
  await sql`insert into noderole (deployment_id, role_id, node_id, lane, state)
    select d.id, r.id, n.id, 'host', 'blocked' from node n cross join role r join deployment d on d.name = case when r.id % 3 = 0 then 'system' else 'work' end`.execute(
    db,
  );
  feed = await startEventFeed({ database, log: SILENT, tickMs: 100 });
  book = createFleetBook({ database, feed });
});
afterAll(async () => {
  book.close();
  await feed.stop();
  await database.close();
});

const truth = async () => (await readFleet(database.db)).rows;

/** Legal changes of state, of nodes, removals and new noderoles, in transactions of any size. */
const stir = async (seed: number): Promise<void> => {
  const { db } = database;
  const pick = sql`id % 7 = ${seed % 7}`;
  const step = [
    sql`update noderole set state = 'todo' where state = 'blocked' and ${pick}`,
    sql`update noderole set state = 'error' where state = 'todo' and id % 5 = ${seed % 5}`,
    sql`update noderole set state = 'blocked' where state in ('todo', 'error') and ${pick}`,
    sql`delete from noderole where state = 'error' and id % 11 = ${seed % 11}`,
    sql`update node set alive = not alive, labels = jsonb_build_object('seed', ${String(seed)}::text) where ${pick}`,
    sql`update node set deleted_at = now() where id % 29 = ${seed % 29} and deleted_at is null`,
    sql`insert into node (name, deployment_id) select 'late-' || ${seed}::int, id from deployment where system`,
    sql`insert into noderole (deployment_id, role_id, node_id, lane, state)
      select d.id, r.id, n.id, 'host', 'proposed' from node n cross join role r join deployment d on d.name = 'work'
      where n.name like 'late-%' and r.id % 2 = 0 on conflict do nothing`,
  ][seed % 8];
  await step?.execute(db);
};

test('reads taken in the middle of changes, counted on by the events after them, end at the truth', async () => {
  const looks: { position: { position: number; id: number }; rows: readonly BookRow[] }[] = [];
  const look = async () => {
    for (let index = 0; index < 15; index++) {
      const { cursor, rows } = await book.read();
      looks.push({ position: cursor, rows });
    }
  };
  const change = async (from: number) => {
    for (let seed = from; seed < from + 40; seed++) await stir(seed);
  };
  await Promise.all([look(), change(0), change(100), change(203)]);
  const last = await book.read();
  const expected = await truth();
  expect(last.rows).toEqual(expected);
  const system = (await readFleet(database.db)).systemId;
  for (const { position, rows } of looks) {
    const counted = await countOn(position, rows, system);
    for (const row of expected) {
      const states = Object.fromEntries(NODEROLE_STATES.map((state) => [state, row[state]]));
      expect(counted.get(row.id) ?? {}, `node ${row.id}`).toMatchObject({
        ...states,
        work: row.work,
      });
    }
  }
});

/** What a console does: start from a read, apply every event behind it. */
const countOn = async (
  after: { position: number; id: number },
  rows: readonly BookRow[],
  system: number,
) => {
  const counts = new Map(
    rows.map((row) => [
      row.id,
      Object.fromEntries([...NODEROLE_STATES, 'work'].map((key) => [key, row[key as 'work']])),
    ]),
  );
  let cursor = after;
  for (let more = true; more;) {
    const page = await readEvents(database.db, {
      after: cursor,
      limit: 500,
      filter: { kinds: ['noderole.*'] },
    });
    for (const event of page.events) {
      const mine =
        counts.get(event.nodeId ?? 0) ??
        Object.fromEntries([...NODEROLE_STATES, 'work'].map((key) => [key, 0]));
      counts.set(event.nodeId ?? 0, mine);
      const { from, to } = event.payload;
      const add = (key: string, by: number) => (mine[key] = (mine[key] ?? 0) + by);
      const outside = event.deploymentId === system ? 0 : 1;
      if (typeof from === 'string') add(from, -1);
      else add('work', outside);
      if (typeof to === 'string') add(to, 1);
      else add('work', -outside);
    }
    cursor = page.cursor;
    more = page.more;
  }
  return counts;
};

test('whoever asks sees what was committed before', async () => {
  const { db } = database;
  for (let index = 0; index < 10; index++) {
    const made = await sql<{
      id: number;
    }>`insert into node (name, deployment_id) select 'seen-' || ${index}::int, id from deployment where system returning id`.execute(
      db,
    );
    expect(await book.idsWith(['undefined'])).toContain(made.rows[0]?.id);
  }
});
