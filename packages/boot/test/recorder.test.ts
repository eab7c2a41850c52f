/** Which boot attempt of the flight recorder a thing belongs to, and what an attempt came to. */
import { transaction } from '@hostwright/engine';
import { createTestDatabase, eventually, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  listBoots,
  openIntent,
  recordBootEvent,
  whatBooted,
  type BootDeps,
  type BootEvent,
} from '../src/index.ts';
import { setPhase } from '../src/install/set-phase.ts';
import { addNode, askBoot, bootDeps, bootsOf, mac } from './fixtures.ts';

let database: TestDatabase;
let deps: BootDeps;
beforeEach(async () => {
  database = await createTestDatabase();
  deps = bootDeps(database);
});
afterEach(async () => database.close());

const SCRIPT = { kind: 'script', text: 'discovery: an unknown machine' } as const;
const LEASE = { kind: 'dhcp', text: 'dnsmasq: DHCPOFFER to iPXE', detail: { pxe: true } } as const;

const record = (event: BootEvent): Promise<void> =>
  transaction(database.db, (tx) => recordBootEvent(tx, event));
const boots = async () => (await listBoots(database.db, { filter: {} })).items;
const setDeleted = (nodeId: number, at: Date | null) =>
  database.db.updateTable('node').set({ deleted_at: at }).where('id', '=', nodeId).execute();
const minutesPass = () =>
  sql`update boot_attempt set started_at = started_at - interval '10 minutes', script_at = script_at - interval '10 minutes',
    hello_at = hello_at - interval '10 minutes'`.execute(database.db);
const script = async (number: number) =>
  (await askBoot(deps, { url: `/boot/v1/ipxe?mac=${mac(number)}&platform=pcbios` })).text;

const waitsForLock = async (): Promise<boolean> => {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select 1 from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())) as waits`.execute(
    database.db,
  );
  return rows[0]?.waits === true;
};

test('a DHCP answer read from the log while the script is being made is of the same boot', async () => {
  let heard = false;
  let dhcp: Promise<void> | undefined;
  await transaction(database.db, async (tx) => {
    await recordBootEvent(tx, { mac: mac(1), ...SCRIPT });
    dhcp = record({ mac: mac(1), ...LEASE }).then(() => {
      heard = true;
    });
    await eventually(async () => heard || waitsForLock());
  });
  await dhcp;
  expect(await boots()).toMatchObject([{ mac: mac(1), events: 2 }]);
});

test('the machine of a deleted node begins a boot of its own, which is the node’s once it is taken back', async () => {
  const nodeId = await addNode(database, { name: 'leaver', macs: [mac(2)] });
  // begun, and never told what to boot: a script that comes now would be its
  await record({ nodeId, mac: mac(2), kind: 'power', text: 'on: by ipmi' });
  await setDeleted(nodeId, new Date());
  await record({ mac: mac(2), ...SCRIPT });
  expect(await boots()).toMatchObject([
    { nodeId: null, events: 1, lastText: SCRIPT.text },
    { nodeId, events: 1 },
  ]);
  await setDeleted(nodeId, null);
  expect(await bootsOf(database, nodeId)).toHaveLength(2);
});

test('a machine that came up without being told begins another boot when it asks again', async () => {
  const nodeId = await addNode(database, { name: 'up', macs: [mac(3)] });
  for (const again of [SCRIPT, LEASE]) {
    await record({ nodeId, mac: mac(3), kind: 'power', text: 'on: by hand' });
    await record({ nodeId, kind: 'hello', text: 'the agent said hello' });
    await minutesPass();
    const before = await bootsOf(database, nodeId);
    await record({ nodeId, mac: mac(3), ...again });
    expect(await bootsOf(database, nodeId)).toHaveLength(before.length + 1);
  }
});

test('the hello of a boot that nobody saw begin does not end an older one', async () => {
  const nodeId = await addNode(database, { name: 'quiet', macs: [mac(4)] });
  await record({ nodeId, mac: mac(4), ...SCRIPT });
  await record({ nodeId, kind: 'power', text: 'reset: by ipmi' });
  await record({ nodeId, kind: 'hello', text: 'the agent said hello' });
  await sql`update node set boot_epoch = boot_epoch + 1 where id = ${nodeId}`.execute(database.db);
  const [, older] = await bootsOf(database, nodeId);
  expect(older).toMatchObject({ helloAt: null, events: 1 });
});

test('a memory test is what was booted, not the own disk; told nothing is neither', async () => {
  const nodeId = await addNode(database, { name: 'tested', macs: [mac(5)] });
  await transaction(database.db, (tx) =>
    openIntent(tx, { nodeId, bootenv: 'memtest', seconds: 600 }),
  );
  expect(await script(5)).toContain('memtest.bin');
  expect(await script(5)).toContain('sanboot');
  await record({ nodeId, kind: 'power', text: 'reset: by ipmi' });
  const seen = await bootsOf(database, nodeId);
  expect(seen.map(whatBooted)).toEqual(['nothing yet', 'its own disk', 'memtest']);
});

test('a boot of an installer ends as installed, erased or failed', async () => {
  const install = async (number: number, plan: object, to: 'restart' | 'failed') => {
    const nodeId = await addNode(database, { name: `n${number}`, macs: [mac(number)] });
    await sql`insert into os_install (node_id, noderole_id, run_id, plan, phase, phase_deadline, boot_epoch)
      values (${nodeId}, 1, ${number}, ${JSON.stringify(plan)}, 'installing', now() + interval '1 hour', 0)`.execute(
      database.db,
    );
    await record({ nodeId, mac: mac(number), ...SCRIPT });
    await transaction(database.db, (tx) =>
      setPhase(tx, { runId: number, from: ['installing'], to }),
    );
    return (await bootsOf(database, nodeId))[0]?.outcome;
  };
  expect(await install(6, { kind: 'image' }, 'restart')).toBe('installed');
  expect(await install(7, { kind: 'erase' }, 'restart')).toBe('erased');
  expect(await install(8, { kind: 'image' }, 'failed')).toBe('failed');
});
