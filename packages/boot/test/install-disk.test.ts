/** What is erased, and that it is erased once: plans, consents, power cuts. */
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { seedPath } from './fixtures.ts';
import { openInstallWorld } from './install-world.ts';

const world = await openInstallWorld();
afterAll(world.close);
const { database, ask, boot, setUp, wipe, writing } = world;

test('A12: an edit after the run has started changes nothing of what is installed', async () => {
  const machine = await setUp(undefined, { os: 'image', hostname: 'first.lab.test' });
  await machine.step();
  const token = await boot(machine);
  await database.db
    .updateTable('node')
    .set({
      discovery: JSON.stringify({ disks: [{ name: 'vdz', serial: 'OTHER', size_bytes: 1e12 }] }),
    })
    .where('id', '=', machine.nodeId)
    .execute();
  expect((await ask(`/boot/v1/install/${token}/plan`)).text).toMatch(
    /hostname=first\n[\s\S]*disk_name=vda\n/,
  );
  expect(
    (await ask(`/boot/v1/install/${token}/wipe`, 'POST', 'serial=OTHER&bytes=1000000000000'))
      .status,
  ).toBe(409);
});

test('a disk is erased at most once per run, whoever asks and how often', async () => {
  const machine = await setUp();
  await machine.step();
  const token = await boot(machine);
  const answers = await Promise.all(Array.from({ length: 10 }, () => wipe(token, machine)));
  expect(answers.filter((answer) => answer.text === 'granted\n')).toHaveLength(1);
});

test('a power cut before the disk is touched resumes with a new installer; the old token is worth nothing new', async () => {
  const machine = await setUp();
  await machine.step();
  await boot(machine);
  const second = await boot(machine);
  expect((await machine.phase()).boots).toBe(2);
  expect((await wipe(second, machine)).text).toBe('granted\n');
});

test('a power cut after the disk is touched ends in a clean error, never in a second wipe', async () => {
  const machine = await setUp();
  const token = await writing(machine);
  const again = await machine.script();
  expect(again).toContain('discovery/vmlinuz');
  // whoever only looks at the script has ended nothing
  expect(await machine.step()).toMatchObject({ kind: 'waiting' });
  expect((await ask(seedPath(again))).text).toContain('mode=discovery');
  expect(await machine.step()).toMatchObject({ kind: 'failed' });
  expect((await wipe(token, machine)).status).toBe(409);
  expect(await machine.step()).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('not erased again'),
  });
  expect(machine.restarts()).toBe(1);
});

test('B1, B3: a boot into discovery by accident neither loses nor repeats an installation', async () => {
  const machine = await setUp();
  await machine.step();
  await database.db
    .updateTable('node')
    .set({ bootenv: 'discovery' })
    .where('id', '=', machine.nodeId)
    .execute();
  expect(await machine.script()).toContain('image-install');
  await machine.step();
  expect(machine.restarts()).toBe(1);
});

test('an operator is told everything that is wrong before anything happens', async () => {
  const machine = await setUp(undefined, { os: 'image', layout: 'raid1', hostname: 'a b' });
  expect(await machine.step()).toMatchObject({
    kind: 'failed',
    blame: 'operator',
    reason: expect.stringMatching(/hostname.*disk/),
  });
  expect(machine.restarts()).toBe(0);
  const none = await setUp(undefined, {});
  expect(await none.step()).toMatchObject({ kind: 'failed', reason: 'os: no OS is chosen' });
});

test('a run whose consent names another disk erases nothing', async () => {
  const machine = await setUp();
  await sql`update consent set disks = '{S-other}' where used_by_run = ${machine.runId}`.execute(
    database.db,
  );
  expect(await machine.step()).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('but the consent names S-other'),
    retryable: false,
  });
  expect(await machine.script()).not.toContain('image-install');
});

test('a run without a consent, or with one that names no disk, erases nothing', async () => {
  for (const change of [sql`update consent set disks = '{}'`, sql`delete from consent`]) {
    const machine = await setUp();
    await sql`${change} where used_by_run = ${machine.runId}`.execute(database.db);
    expect(await machine.step()).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('the consent names no disk'),
      retryable: false,
    });
    expect(machine.restarts()).toBe(0);
    expect(await machine.script()).not.toContain('image-install');
  }
});
