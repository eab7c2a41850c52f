/** An installation from its first step to its end, and what waits for it meanwhile. */
import { explainNoderole } from '@hostwright/engine';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { registerBootServer, sweepInstalls } from '../src/index.ts';
import { openInstallWorld } from './install-world.ts';

const world = await openInstallWorld();
afterAll(world.close);
const { database, ask, boot, firstBoot, setUp, up, wipe, writing } = world;

test('an installation goes through its phases by evidence, and only the new system ends it', async () => {
  const machine = await setUp();
  expect(await machine.step()).toMatchObject({ kind: 'waiting', evidence: 'os-install' });
  expect((await machine.phase()).phase).toBe('boot');
  expect(await machine.node()).toMatchObject({
    alive: false,
    alive_hold: expect.stringContaining('installed'),
  });
  const token = await boot(machine);
  expect((await ask(`/boot/v1/install/${token}/plan`)).text).toContain(
    `disk_serial=${machine.serial}\n`,
  );
  expect((await wipe(token, machine)).text).toBe('granted\n');
  const osToken = await firstBoot(token);
  expect((await ask(`/boot/v1/install/${token}/finished`, 'POST')).status).toBe(200);
  expect(await machine.node()).toMatchObject({ bootenv: 'local' });
  expect(await machine.step()).toMatchObject({ kind: 'waiting' });
  expect((await up(osToken)).status).toBe(200);
  expect(await machine.step()).toMatchObject({ kind: 'succeeded' });
  expect(await machine.node()).toMatchObject({ alive_hold: null, bootenv: 'local' });
});

test('with several systems on its disks GRUB from the network is told which was installed last', async () => {
  const machine = await setUp();
  const ends = async (token: string) => {
    const mark = (await ask(`/boot/v1/install/${token}/mark`)).text;
    const osToken = await firstBoot(token);
    await ask(`/boot/v1/install/${token}/finished`, 'POST');
    await up(osToken);
    return mark;
  };
  const first = await ends(await writing(machine));
  expect(first).toMatch(/^[0-9a-f]{16}$/);
  await machine.step();
  expect(await machine.grub()).toContain(
    `search --no-floppy --file --set=root /EFI/hostwright/${first};`,
  );
  const again = await machine.again();
  const second = await ends(await writing({ ...machine, ...again }));
  expect(second).not.toBe(first);
  const told = await machine.grub();
  expect(told).toContain(`/EFI/hostwright/${second};`);
  expect(told).not.toContain(first);
});

test('A1, A5, A6: no power before every boot server has the version', async () => {
  const machine = await setUp();
  const serverId = await registerBootServer(database.db, { name: 'slow', kind: 'dnsmasq' });
  expect(await machine.step()).toMatchObject({ kind: 'waiting' });
  expect([machine.restarts(), (await machine.phase()).phase]).toEqual([0, 'acks']);
  expect(await machine.node()).toMatchObject({ alive: true });
  await sql`insert into boot_ack (server_id, node_id, version) select ${serverId}, node_id, version from node_boot where node_id = ${machine.nodeId}`.execute(
    database.db,
  );
  await machine.step();
  expect([machine.restarts(), (await machine.phase()).phase]).toEqual([1, 'boot']);
  await database.db
    .updateTable('boot_server')
    .set({ active: false })
    .where('id', '=', serverId)
    .execute();
});

test('an installation goes on when the last server it waited for is taken away, or its word was lost', async () => {
  const told = async (runId: number) => {
    const { rows } = await sql`select from evidence where run_id = ${runId}`.execute(database.db);
    return rows.length;
  };
  for (const end of ['word', 'server'] as const) {
    const machine = await setUp();
    const serverId = await registerBootServer(database.db, { name: end, kind: 'dnsmasq' });
    await machine.step();
    const { run_id: runId } = await database.db
      .selectFrom('os_install')
      .select('run_id')
      .where('node_id', '=', machine.nodeId)
      .executeTakeFirstOrThrow();
    await sweepInstalls(database.db);
    expect(await told(runId)).toBe(0);
    if (end === 'word')
      await sql`insert into boot_ack (server_id, node_id, version) select ${serverId}, node_id, version from node_boot`.execute(
        database.db,
      );
    else await database.db.deleteFrom('boot_server').where('id', '=', serverId).execute();
    await sweepInstalls(database.db);
    expect(await told(runId)).toBe(1);
    await machine.step();
    expect([machine.restarts(), (await machine.phase()).phase]).toEqual([1, 'boot']);
    await sql`update boot_server set active = false`.execute(database.db);
  }
});

test('A2, B2: a machine that cannot be restarted is an error; nothing stays open', async () => {
  const machine = await setUp(async () => ({ ok: false, reasons: ['power by ipmi: refused'] }));
  expect(await machine.step()).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('power by ipmi: refused'),
  });
  expect(await machine.node()).toMatchObject({ alive_hold: null, bootenv: 'discovery' });
  expect(await machine.script()).toContain('discovery/vmlinuz');
});

test('A8: once the installer has finished the machine boots from its disk, whatever DHCP says', async () => {
  const machine = await setUp();
  const token = await writing(machine);
  await ask(`/boot/v1/install/${token}/finished`, 'POST');
  expect(await machine.script()).toContain('sanboot');
  expect(await machine.script()).toContain('sanboot');
});

test('A11, B6: a phase that ends nowhere becomes an error that names it', async () => {
  const machine = await setUp();
  await machine.step();
  await boot(machine);
  await database.db
    .updateTable('os_install')
    .set({ phase_deadline: new Date(0) })
    .where('run_id', '=', machine.runId)
    .execute();
  await sweepInstalls(database.db);
  expect(await machine.step()).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(/installer to report.*phase installing/),
  });
  expect(await machine.node()).toMatchObject({ alive_hold: null, bootenv: 'discovery' });
});

test('B12, B15: a cancelled run leaves a node that can be used again', async () => {
  const machine = await setUp();
  await machine.step();
  await machine.endRun();
  await sweepInstalls(database.db);
  expect(await machine.node()).toMatchObject({ alive_hold: null, bootenv: 'discovery' });
  expect(await machine.script()).toContain('its boot environment is discovery');
});

test('why names the phase of an installation, since when, until when, and the last thing seen', async () => {
  const machine = await setUp();
  await machine.step();
  await sql`update noderole set state = 'todo' where node_id = ${machine.nodeId}`.execute(
    database.db,
  );
  const { rows } = await sql<{ id: number }>`
    update noderole set state = 'transition', run_id = ${machine.runId} where node_id = ${machine.nodeId} returning id`.execute(
    database.db,
  );
  const why = () => explainNoderole(database.db, rows[0]?.id ?? 0);
  expect(await why()).toMatchObject({
    sentence: expect.stringMatching(
      /has been in phase boot for \d+ seconds? and waits for the machine to fetch its installer, its deadline is in 1\d minutes; last seen \d+ seconds? ago: reset: test$/,
    ),
    cause: { kind: 'waiting', runId: machine.runId },
    command: expect.stringMatching(/^hostwright node boots n\d+$/),
  });
  const token = await boot(machine);
  await ask(`/boot/v1/install/${token}/log`, 'POST', 'mkfs.ext4 /dev/vda1');
  expect((await why()).sentence).toMatch(/phase installing .* ago: mkfs\.ext4 \/dev\/vda1$/);
  await ask(`/boot/v1/install/${token}/failed`, 'POST', 'reason=no space left');
  await sql`update noderole set state = 'error', reason = 'the installer failed: no space left', run_id = null where id = ${rows[0]?.id}`.execute(
    database.db,
  );
  expect((await why()).sentence).toMatch(/no space left; it was in phase installing, last seen/);
});

test('B4: one version is waited for on every boot server; an older one of any of them is not enough', async () => {
  const machine = await setUp();
  const servers = [];
  for (const name of ['dhcp-one', 'dns-two'])
    servers.push(await registerBootServer(database.db, { name, kind: 'dnsmasq' }));
  await machine.step();
  const ack = (serverId: number | undefined, behind: number) =>
    sql`insert into boot_ack (server_id, node_id, version) select ${serverId}, node_id, version - ${behind} from node_boot where node_id = ${machine.nodeId}
      on conflict (server_id, node_id) do update set version = excluded.version`.execute(
      database.db,
    );
  await ack(servers[0], 0);
  await ack(servers[1], 1);
  await machine.step();
  expect([machine.restarts(), (await machine.phase()).phase]).toEqual([0, 'acks']);
  await ack(servers[1], 0);
  await machine.step();
  expect([machine.restarts(), (await machine.phase()).phase]).toEqual([1, 'boot']);
  await sql`update boot_server set active = false`.execute(database.db);
});

test('B7: thirty installations wait at once, and not one of them holds a worker', async () => {
  const machines = await Promise.all(Array.from({ length: 30 }, () => setUp()));
  const outcomes = await Promise.all(machines.map((machine) => machine.step()));
  expect(new Set(outcomes.map((outcome) => outcome.kind))).toEqual(new Set(['waiting']));
  // asked again while nothing has happened, each says the same at once
  const again = await Promise.all(machines.map((machine) => machine.step()));
  expect(again).toEqual(outcomes);
  for (const machine of machines) await machine.endRun();
});

test('B14: power and boot device are commanded while no row is locked, and once per installation', async () => {
  let nodeId = 0;
  const machine = await setUp(async () => {
    // from another connection: would wait for ever on a transaction that were still open
    await sql`update node set description = 'free' where id = ${nodeId}`.execute(database.db);
    await sql`select from os_install where node_id = ${nodeId} for update nowait`.execute(
      database.db,
    );
    return { ok: true, how: 'test', notes: [] };
  });
  nodeId = machine.nodeId;
  await machine.step();
  expect((await machine.phase()).phase).toBe('boot');
  const token = await boot(machine);
  await wipe(token, machine);
  await ask(`/boot/v1/install/${token}/finished`, 'POST');
  await machine.step();
  // from here on its disk, by what the endpoint answers: nobody tells the machine to boot otherwise
  expect(machine.restarts()).toBe(1);
  expect(await machine.script()).not.toContain('seed');
});
