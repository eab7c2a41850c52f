/** What the flight recorder tells of boots by events, and of whose boots it tells nothing. */
import { transaction } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordBootEvent, type BootEvent } from '../src/index.ts';
import { addNode, mac } from './fixtures.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => database.close());

const record = (event: Partial<BootEvent>): Promise<void> =>
  transaction(database.db, (tx) =>
    recordBootEvent(tx, { kind: 'file', text: 'vmlinuz', ...event }),
  );

const told = async (): Promise<readonly string[]> => {
  const { rows } = await sql<{ text: string }>`
    select kind || ' ' || (payload ->> 'seen') || ' of ' || node_id as text
    from event where kind like 'boot.%' order by id`.execute(database.db);
  return rows.map(({ text }) => text);
};

/** The second in which an event was told lasts until it is said to pass, however slow this machine is. */
const secondLasts = () =>
  sql`update boot_attempt set told_at = told_at + interval '1 hour'`.execute(database.db);
const secondPasses = () =>
  sql`update boot_attempt set told_at = told_at - interval '1 day'`.execute(database.db);

test('a boot of a node tells that it began, then once a second at most that more was seen', async () => {
  const nodeId = await addNode(database, { name: 'm1', macs: [mac(1)] });
  await record({ nodeId, mac: mac(1), kind: 'script', text: 'told to boot discovery' });
  await secondLasts();
  for (let file = 0; file < 5; file++) await record({ nodeId });
  expect(await told()).toEqual([`boot.began script of ${nodeId}`]);
  await secondPasses();
  await record({ nodeId });
  await secondLasts();
  for (let file = 0; file < 5; file++) await record({ nodeId });
  // heard by its MAC alone, as a DHCP server does
  await record({ mac: mac(1), kind: 'dhcp', text: 'asked' });
  expect(await told()).toEqual([`boot.began script of ${nodeId}`, `boot.seen file of ${nodeId}`]);
  await record({ nodeId, kind: 'power', text: 'reset: by ipmi' });
  expect((await told()).at(-1)).toBe(`boot.began power of ${nodeId}`);
});

test('strangers are written down and make no event until they are nodes', async () => {
  for (let stranger = 10; stranger < 40; stranger++)
    await record({ mac: mac(stranger), kind: 'script', text: 'discovery: an unknown machine' });
  expect(await told()).toEqual([]);
  const nodeId = await addNode(database, { name: 'm10', macs: [mac(10)] });
  await record({ nodeId, mac: mac(10) });
  expect(await told()).toEqual([`boot.seen file of ${nodeId}`]);
});

test('a boot that says too much tells no more of it', async () => {
  const nodeId = await addNode(database, { name: 'loud', macs: [mac(3)] });
  await record({ nodeId });
  await sql`update boot_attempt set events = 2000`.execute(database.db);
  await secondPasses();
  await record({ nodeId });
  expect(await told()).toEqual([`boot.began file of ${nodeId}`]);
});
