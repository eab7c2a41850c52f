/** Whoever asks without end is answered, and fills no table. */
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pruneBoots, recordBootEvent, type BootDeps } from '../src/index.ts';
import { addNode, askBoot, bootDeps, mac } from './fixtures.ts';

let database: TestDatabase;
let deps: BootDeps;
beforeEach(async () => {
  database = await createTestDatabase();
  deps = bootDeps(database);
});
afterEach(async () => database.close());

const get = async (url: string): Promise<string> => (await askBoot(deps, { url })).text;
const count = async (table: string): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from ${sql.table(table)}`.execute(database.db);
  return rows[0]?.n ?? -1;
};

test('one known machine that asks 200 times for script and seed leaves 60 boots', async () => {
  await addNode(database, { name: 'loop', macs: [mac(1)], bootenv: 'discovery' });
  let last = '';
  for (let round = 0; round < 200; round++) {
    last = await get(`/boot/v1/ipxe?mac=${mac(1)}`);
    const seed = /\/boot\/v1\/seed\/[^/]+\/seed\.cpio/.exec(last)?.[0];
    if (seed !== undefined) await get(seed);
  }
  expect(last).toContain('asks too often');
  expect(await count('boot_intent')).toBe(60);
  expect(await count('token')).toBe(60);
  expect(await count('boot_attempt')).toBeLessThanOrEqual(60);
});

test('one that asks for scripts only leaves one intent and few tokens', async () => {
  await addNode(database, { name: 'ask', macs: [mac(2)], bootenv: 'discovery' });
  for (let round = 0; round < 150; round++) await get(`/boot/v1/ipxe?mac=${mac(2)}`);
  expect(await count('boot_intent')).toBe(1);
  expect(await count('boot_token')).toBe(32);
  expect(await count('boot_attempt')).toBe(60);
  // the newest script is good still
  const script = await get(`/boot/v1/ipxe?mac=${mac(2)}`);
  const seed = /\/boot\/v1\/seed\/[^/]+\/seed\.cpio/.exec(script)?.[0] ?? '/none';
  expect(await get(seed)).toContain('mode=discovery');
});

test('a boot that says too much is cut off, and says so', async () => {
  const nodeId = await addNode(database, { name: 'loud', macs: [mac(3)] });
  await database.db.transaction().execute(async (tx) => {
    for (let line = 0; line < 2010; line++)
      await recordBootEvent(tx, { nodeId, kind: 'console', text: `line ${line}` });
  });
  expect(await count('boot_event')).toBe(2000);
  const { rows } = await sql<{ text: string }>`
    select text from boot_event order by id desc limit 1`.execute(database.db);
  expect(rows[0]?.text).toContain('too much');
});

test('strangers who are sent to their disks are not all written down', async () => {
  await sql`insert into setting (key, value) values ('boot', '{"unknownMachines":"local"}') on conflict (key) do update set value = excluded.value`.execute(
    database.db,
  );
  await sql`insert into boot_attempt (mac) select '02:ff:00:00:00:00' from generate_series(1, 4999)`.execute(
    database.db,
  );
  for (let number = 10; number < 30; number++) await get(`/boot/v1/ipxe?mac=${mac(number)}`);
  expect(await count('boot_attempt')).toBe(5000);
});

test('intents of nodes are forgotten too, once nobody can use them', async () => {
  const nodeId = await addNode(database, { name: 'old', macs: [mac(4)], bootenv: 'discovery' });
  await sql`
    insert into boot_intent (node_id, bootenv, created_at, expires_at, used_at)
    select ${nodeId}, 'discovery', now() - interval '40 days', now() - interval '40 days', now() - interval '40 days' from generate_series(1, 10)`.execute(
    database.db,
  );
  await get(`/boot/v1/ipxe?mac=${mac(4)}`);
  await pruneBoots(database.db);
  expect(await count('boot_intent')).toBe(1);
});
