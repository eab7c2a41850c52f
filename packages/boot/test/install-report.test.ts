/** What installers and new systems report: whose word counts, when, and how often. */
import { randomUUID } from 'node:crypto';
import { reportHello } from '@hostwright/engine';
import { afterAll, expect, test } from 'vitest';
import { readBootTimeline } from '../src/index.ts';
import { bootsOf } from './fixtures.ts';
import { openInstallWorld } from './install-world.ts';

const world = await openInstallWorld();
afterAll(world.close);
const { database, ask, boot, firstBoot, setUp, up, wipe, writing } = world;

test('A3, A4: the run is not over, and the node not alive, until the new system calls', async () => {
  const machine = await setUp();
  const token = await writing(machine);
  await ask(`/boot/v1/install/${token}/finished`, 'POST');
  expect(await machine.step()).toMatchObject({ kind: 'waiting' });
  expect(await machine.node()).toMatchObject({ alive: false });
});

test('A7, B9: a late or replayed report of an older boot changes nothing', async () => {
  const machine = await setUp();
  const token = await writing(machine);
  const osToken = await firstBoot(token);
  await ask(`/boot/v1/install/${token}/finished`, 'POST');
  expect((await up(osToken)).status).toBe(200);
  expect((await up(osToken)).status).toBe(409);
  await database.db
    .updateTable('node')
    .set({ bootenv: 'rescue' })
    .where('id', '=', machine.nodeId)
    .execute();
  await machine.endRun();
  expect((await ask(`/boot/v1/install/${token}/finished`, 'POST')).status).toBe(409);
  expect((await machine.node()).bootenv).toBe('rescue');
});

test('A9, B10: the dying old system cannot pass for the new one', async () => {
  const machine = await setUp();
  await machine.step();
  const old = await database.db
    .selectFrom('node')
    .select('boot_id')
    .where('id', '=', machine.nodeId)
    .executeTakeFirstOrThrow();
  await reportHello(database.db, { nodeId: machine.nodeId, bootId: old.boot_id ?? '' });
  expect(await machine.node()).toMatchObject({ alive: false });
  const token = await boot(machine);
  await wipe(token, machine);
  const osToken = await firstBoot(token);
  await ask(`/boot/v1/install/${token}/finished`, 'POST');
  expect((await up(osToken, old.boot_id ?? '')).status).toBe(409);
  expect((await up(osToken)).status).toBe(200);
});

test("Debian's installer, whose wget can only GET, says the same by GET", async () => {
  const machine = await setUp();
  await machine.step();
  const token = await boot(machine);
  const base = `/boot/v1/install/${token}`;
  const { serial } = machine;
  expect((await ask(`${base}/log?installer-started`)).status).toBe(200);
  expect((await ask(`${base}/wipe-by-serial?serial=other`)).status).toBe(409);
  expect((await ask(`${base}/wipe-by-serial?serial=${serial}`)).text).toBe('granted\n');
  expect((await ask(`${base}/wipe-by-serial?serial=${serial}`)).status).toBe(409);
  expect((await ask(`${base}/finished?x`)).status).toBe(200);
  expect((await machine.phase()).phase).toBe('restart');
});

test('a forged token, and the token of another machine, are refused', async () => {
  const [one, other] = [await setUp(), await setUp()];
  await one.step();
  await other.step();
  const token = await boot(one);
  await boot(other);
  expect((await wipe(token, other)).status).toBe(409);
  expect((await other.phase()).phase).toBe('installing');
  for (const forged of ['x', '../../x', 'A'.repeat(43), `${token}x`]) {
    expect([401, 404]).toContain((await ask(`/boot/v1/install/${forged}/finished`, 'POST')).status);
  }
  expect((await up(token)).status).toBe(401);
});

test('what an installer prints stays text, however absurd', async () => {
  const machine = await setUp();
  await machine.step();
  const token = await boot(machine);
  await ask(
    `/boot/v1/install/${token}/log`,
    'POST',
    `\u001b[2J$(reboot)\u0000'; drop table node; --\n${'x'.repeat(100_000)}`,
  );
  const story = (
    await Promise.all(
      (await bootsOf(database, machine.nodeId)).map((attempt) =>
        readBootTimeline(database.db, attempt.id),
      ),
    )
  ).flat();
  expect(story.some((event) => event.text.includes('$(reboot)'))).toBe(true);
  expect(story.every((event) => !/\p{Cc}/u.test(event.text) && event.text.length <= 2000)).toBe(
    true,
  );
  await ask(`/boot/v1/install/${token}/failed`, 'POST', 'reason=disk full `id`');
  expect(await machine.step()).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('disk full `id`'),
  });
});

test('A10: hello and callback of the new system in any order, and at once, are one boot and one end', async () => {
  const machine = await setUp();
  const token = await writing(machine);
  const osToken = await firstBoot(token);
  await ask(`/boot/v1/install/${token}/finished`, 'POST');
  const bootId = randomUUID();
  const hello = () => reportHello(database.db, { nodeId: machine.nodeId, bootId });
  // a lifecycle event of one node waits for the other: the row is locked
  const said = await Promise.allSettled([
    hello(),
    up(osToken, bootId),
    hello(),
    up(osToken, bootId),
    hello(),
  ]);
  expect(said.filter((one) => one.status === 'rejected')).toEqual([]);
  await hello();
  expect((await machine.phase()).phase).toBe('done');
  const node = await database.db
    .selectFrom('node')
    .select(['boot_epoch', 'bootenv', 'alive', 'alive_hold'])
    .where('id', '=', machine.nodeId)
    .executeTakeFirstOrThrow();
  expect(node).toMatchObject({ boot_epoch: 2, bootenv: 'local', alive: true, alive_hold: null });
});
