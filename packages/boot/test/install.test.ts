import { randomUUID } from 'node:crypto';
import { type JsonObject } from '@hostwright/core';
import { explainNoderole, reportHello, type Outcome, type RunHandle } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  answerBootRequest,
  importOsTemplates,
  listBootAttempts,
  osInstallTransition,
  readBootTimeline,
  registerBootServer,
  sweepInstalls,
  type BootDeps,
  type Restart,
} from '../src/index.ts';
import { addNode, bootDeps, mac } from './fixtures.ts';

let database: TestDatabase;
let deps: BootDeps;
let number = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = bootDeps(database);
  await importOsTemplates(database.db);
  await database.db
    .insertInto('boot_file')
    .values({ path: 'images/default.tar.gz', sha256: 'a'.repeat(64), size: 1 })
    .execute();
  await sql`insert into jig (name) values ('role-provided')`.execute(database.db);
  await sql`insert into barclamp (name, version, source_path, content_hash) values ('t', '1', '/none', 'x')`.execute(
    database.db,
  );
  await sql`insert into role (barclamp_id, name, jig, destructive) select id, 'provisioner-os-install', 'role-provided', true from barclamp`.execute(
    database.db,
  );
});
afterAll(async () => database.close());

const ask = async (url: string, method = 'GET', body = '') => {
  const answer = await answerBootRequest(deps, { method, url, headers: {}, body });
  return {
    status: answer.status,
    text: Buffer.isBuffer(answer.body)
      ? answer.body.toString('latin1')
      : typeof answer.body === 'string'
        ? answer.body
        : '',
  };
};
const seedPath = (text: string) =>
  /\/boot\/v1\/seed\/[^/]+\/seed\.cpio/.exec(text)?.[0] ?? 'no seed';

const setUp = async (
  restart: () => Promise<Restart> = async () => ({ ok: true, how: 'test', notes: [] }),
  data: JsonObject = { os: 'image' },
) => {
  const id = ++number;
  const nodeId = await addNode(database, {
    name: `n${id}`,
    macs: [mac(id)],
    bootenv: 'discovery',
    alive: true,
  });
  const facts = {
    disks: [
      { name: 'vda', serial: `S${id}`, size_bytes: 8e9, rotational: false, removable: false },
    ],
  };
  await database.db
    .updateTable('node')
    .set({ discovery: JSON.stringify(facts), boot_id: randomUUID(), boot_epoch: 1 })
    .where('id', '=', nodeId)
    .execute();
  const made = await sql<{ run_id: number; token: number; noderole_id: number }>`
    with w as (insert into noderole (deployment_id, role_id, node_id, lane, state) select d.id, r.id, ${nodeId}, 'host', 'active' from deployment d, role r where d.system and r.name = 'provisioner-os-install' returning id, role_id, deployment_id)
    insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, status, waiting_for, deadline_at, expects_reboot)
    select w.id, ${nodeId}, w.role_id, w.deployment_id, 'host', 'role-provided', 'waiting', 'os-install', now() + interval '1 hour', true from w returning id as run_id, token, noderole_id`.execute(
    database.db,
  );
  const run = made.rows[0];
  if (run === undefined) throw new Error('no run');
  await sql`insert into consent (noderole_id, input_hash, disks, granted_by, used_by_run, used_at)
    values (${run.noderole_id}, 'x', ${[`S${id}`]}::text[], 'ann', ${run.run_id}, now())`.execute(
    database.db,
  );
  let restarts = 0;
  const handle: RunHandle = {
    runId: run.run_id,
    token: run.token,
    kind: 'run',
    lane: 'host',
    attempt: 1,
    noderoleId: run.noderole_id,
    node: { id: nodeId, name: `n${id}`, admin: false, bootId: null, bootEpoch: 1 },
    role: { id: 1, name: 'provisioner-os-install', barclamp: 'provisioner', config: {} },
    deployment: { id: 1, name: 'system' },
    attribs: { os_install: data },
    secrets: [],
    deadline: new Date(Date.now() + 3_600_000),
    signal: new AbortController().signal,
    memo: null,
    log: () => {},
    remember: async () => {},
    expectReboot: async () => {},
  };
  const transition = osInstallTransition({
    database,
    restart: async () => {
      restarts++;
      return restart();
    },
  });
  return {
    nodeId,
    serial: `S${id}`,
    restarts: () => restarts,
    step: (): Promise<Outcome> => transition(handle),
    script: async () => (await ask(`/boot/v1/ipxe?mac=${mac(id)}`)).text,
    phase: async () =>
      (await database.db
        .selectFrom('os_install')
        .select(['phase', 'error', 'boots'])
        .where('run_id', '=', run.run_id)
        .executeTakeFirst()) ?? { phase: 'none', error: null, boots: 0 },
    node: () =>
      database.db
        .selectFrom('node')
        .select(['bootenv', 'alive', 'alive_hold'])
        .where('id', '=', nodeId)
        .executeTakeFirstOrThrow(),
    endRun: () =>
      sql`update run set status = 'cancelled', ended_at = now(), worker_id = null where id = ${run.run_id}`.execute(
        database.db,
      ),
    runId: run.run_id,
  };
};
type Setup = Awaited<ReturnType<typeof setUp>>;

/** As far as the installer in memory: its token. */
const boot = async (machine: Setup): Promise<string> => {
  const seed = await ask(seedPath(await machine.script()));
  expect(seed.status).toBe(200);
  return /install=([A-Za-z0-9_-]{43})/.exec(seed.text)?.[1] ?? '';
};
const wipe = (token: string, machine: Setup) =>
  ask(`/boot/v1/install/${token}/wipe`, 'POST', `serial=${machine.serial}&bytes=8000000000`);
const firstBoot = async (token: string) =>
  /up=([A-Za-z0-9_-]{43})/.exec((await ask(`/boot/v1/install/${token}/firstboot`)).text)?.[1] ?? '';
const up = (token: string, bootId: string = randomUUID()) =>
  ask(`/boot/v1/up/${token}`, 'POST', `boot_id=${bootId}`);

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

test('A2, B2: a machine that cannot be restarted is an error; nothing stays open', async () => {
  const machine = await setUp(async () => ({ ok: false, reasons: ['power by ipmi: refused'] }));
  expect(await machine.step()).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('power by ipmi: refused'),
  });
  expect(await machine.node()).toMatchObject({ alive_hold: null, bootenv: 'discovery' });
  expect(await machine.script()).toContain('discovery/vmlinuz');
});

test('A3, A4: the run is not over, and the node not alive, until the new system calls', async () => {
  const machine = await setUp();
  await machine.step();
  const token = await boot(machine);
  await wipe(token, machine);
  await ask(`/boot/v1/install/${token}/finished`, 'POST');
  expect(await machine.step()).toMatchObject({ kind: 'waiting' });
  expect(await machine.node()).toMatchObject({ alive: false });
});

test('A7, B9: a late or replayed report of an older boot changes nothing', async () => {
  const machine = await setUp();
  await machine.step();
  const token = await boot(machine);
  await wipe(token, machine);
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

test('A8: once the installer has finished the machine boots from its disk, whatever DHCP says', async () => {
  const machine = await setUp();
  await machine.step();
  const token = await boot(machine);
  await wipe(token, machine);
  await ask(`/boot/v1/install/${token}/finished`, 'POST');
  expect(await machine.script()).toContain('sanboot');
  expect(await machine.script()).toContain('sanboot');
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
  await machine.step();
  const token = await boot(machine);
  await wipe(token, machine);
  const again = await machine.script();
  expect(again).toContain('discovery/vmlinuz');
  // the run ends while the machine is between its script and its seed
  expect(await machine.step()).toMatchObject({ kind: 'failed' });
  expect((await ask(seedPath(again))).text).toContain('mode=discovery');
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

test('B12, B15: a cancelled run leaves a node that can be used again', async () => {
  const machine = await setUp();
  await machine.step();
  await machine.endRun();
  await sweepInstalls(database.db);
  expect(await machine.node()).toMatchObject({ alive_hold: null, bootenv: 'discovery' });
  expect(await machine.script()).toContain('its boot environment is discovery');
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
      (await listBootAttempts(database.db, { nodeId: machine.nodeId })).map((attempt) =>
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
      /is in phase boot since \d+ seconds? and waits for the machine to fetch its installer, its deadline is in 1\d minutes; last seen \d+ seconds? ago: reset: test$/,
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

test('A10: hello and callback of the new system in any order, and at once, are one boot and one end', async () => {
  const machine = await setUp();
  await machine.step();
  const token = await boot(machine);
  await wipe(token, machine);
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
