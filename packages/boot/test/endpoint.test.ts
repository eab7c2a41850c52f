import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SILENT, transaction } from '@hostwright/engine';
import { createTestDatabase, eventually, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  listenForLoaders,
  logPath,
  openIntent,
  pruneBoots,
  readBootTimeline,
  registerFile,
  startBootKeeper,
  writeBootTimeline,
  type BootDeps,
} from '../src/index.ts';
import { addNode, askBoot, bootDeps, bootsOf, mac, seedPath } from './fixtures.ts';

let database: TestDatabase;
let deps: BootDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = bootDeps(database);
});
afterAll(async () => database.close());

const ask = (url: string, method = 'GET', body = '', headers: Record<string, string> = {}) =>
  askBoot(deps, { url, method, body, headers });
const script = async (query: string) => (await ask(`/boot/v1/ipxe?${query}`)).text;
const joinTokens = async () =>
  (await database.db.selectFrom('token').select('id').where('kind', '=', 'join').execute()).length;

test('a stranger is given the discovery image and, once, a join token that is in no script', async () => {
  const text = await script(
    `mac=${mac(1)}&uuid=00000000-0000-4000-8000-000000000001&platform=pcbios`,
  );
  expect(text).toContain(
    'kernel http://192.168.77.1:8080/boot/v1/files/discovery/vmlinuz initrd=seed.cpio initrd=initrd.img',
  );
  const before = await joinTokens();
  const seed = await ask(seedPath(text));
  expect(seed.status).toBe(200);
  expect(seed.text).toMatch(/mode=discovery\nurl=https:\/\/192\.168\.77\.1:8443\n.*\njoin=hwj_/);
  expect(seed.text.length % 512).toBe(0);
  expect(await joinTokens()).toBe(before + 1);
  expect((await ask(seedPath(text))).status).toBe(409);
  expect(await joinTokens()).toBe(before + 1);
});

test('a seed that nobody issued is not found', async () => {
  expect((await ask(`/boot/v1/seed/${'A'.repeat(43)}/seed.cpio`)).status).toBe(404);
  expect((await ask('/boot/v1/seed/../../etc/seed.cpio')).status).toBe(404);
});

test('a machine that asks twice gets one seed: the first script is void', async () => {
  const first = await script(`mac=${mac(2)}`);
  const second = await script(`mac=${mac(2)}`);
  expect((await ask(seedPath(first))).status).toBe(409);
  expect((await ask(seedPath(second))).status).toBe(200);
});

test('B13: a machine that boots from its second NIC is the same node', async () => {
  const uuid = '00000000-0000-4000-8000-0000000000b1';
  const nodeId = await addNode(database, {
    name: 'two-nics',
    macs: [mac(10)],
    uuid,
    bootenv: 'discovery',
  });
  await script(`mac=${mac(11)}&uuid=${uuid}`);
  expect(await bootsOf(database, nodeId)).toHaveLength(1);
});

test('B13: a board that was given new NICs and lost its UUID is known by its serial', async () => {
  const nodeId = await addNode(database, {
    name: 'by-serial',
    macs: [mac(12)],
    serial: 'SN-0815-4711',
    bootenv: 'discovery',
  });
  await script(`mac=${mac(13)}&serial=SN-0815-4711`);
  expect(await bootsOf(database, nodeId)).toHaveLength(1);
  const text = await script(`mac=${mac(10)}&serial=SN-0815-4711`);
  expect(text).toContain('two nodes claim this machine');
});

test('B16: the machine of a deleted node boots into discovery as a stranger, with no word of its past', async () => {
  const nodeId = await addNode(database, { name: 'gone', macs: [mac(14)], bootenv: 'local' });
  expect(await script(`mac=${mac(14)}`)).not.toContain('seed');
  await transaction(database.db, (tx) =>
    openIntent(tx, { nodeId, bootenv: 'rescue', seconds: 3600 }),
  );
  await database.db
    .updateTable('node')
    .set({ deleted_at: new Date(), alive: false })
    .where('id', '=', nodeId)
    .execute();
  const text = await script(`mac=${mac(14)}`);
  expect(text).toContain('discovery');
  const seed = await ask(seedPath(text));
  expect(seed.text).toContain('mode=discovery');
});

test('a machine that claims the UUID of another with the MAC of a third gets nothing of either', async () => {
  const victim = await addNode(database, {
    name: 'victim',
    macs: [mac(20)],
    uuid: '00000000-0000-4000-8000-0000000000c1',
    bootenv: 'discovery',
  });
  await addNode(database, { name: 'other', macs: [mac(21)], bootenv: 'discovery' });
  const text = await script(`mac=${mac(21)}&uuid=00000000-0000-4000-8000-0000000000c1`);
  expect(text).toContain('two nodes claim this machine');
  expect(text).not.toContain('seed');
  expect(await bootsOf(database, victim)).toHaveLength(0);
});

test('a used intent is followed by the own disk', async () => {
  const nodeId = await addNode(database, { name: 'once', macs: [mac(30)] });
  await transaction(database.db, (tx) =>
    openIntent(tx, { nodeId, bootenv: 'rescue', seconds: 60 }),
  );
  const text = await script(`mac=${mac(30)}`);
  expect((await ask(seedPath(text))).text).toContain('mode=rescue');
  expect(await script(`mac=${mac(30)}`)).toContain('sanboot');
});

test('an expired intent is followed by the own disk', async () => {
  const nodeId = await addNode(database, { name: 'late', macs: [mac(31)] });
  await transaction(database.db, (tx) =>
    openIntent(tx, { nodeId, bootenv: 'rescue', seconds: -1 }),
  );
  expect(await script(`mac=${mac(31)}&platform=efi`)).toMatch(/^#!ipxe\n# .*\nexit 1\n$/);
});

test('of fifty fetches of one seed at once, one succeeds', async () => {
  const path = seedPath(await script(`mac=${mac(40)}`));
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(path)));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
});

test('a flood of strangers is told to boot locally and leaves no rows, known nodes are served', async () => {
  await database.db
    .insertInto('setting')
    .values({ key: 'boot', value: JSON.stringify({ strangers: 50 }) })
    .execute();
  for (let index = 0; index < 80; index++) await script(`mac=${mac(1000 + index)}`);
  const { rows } = {
    rows: await database.db
      .selectFrom('boot_intent')
      .select('id')
      .where('node_id', 'is', null)
      .execute(),
  };
  expect(rows.length).toBeLessThanOrEqual(50);
  expect(await script(`mac=${mac(2000)}`)).toContain('too many unknown machines');
  expect(
    await database.db
      .selectFrom('boot_attempt')
      .select('id')
      .where('mac', '=', mac(2000))
      .execute(),
  ).toEqual([]);
  await addNode(database, { name: 'known', macs: [mac(41)], bootenv: 'discovery' });
  expect(await script(`mac=${mac(41)}`)).toContain('discovery/vmlinuz');
  await database.db.deleteFrom('setting').where('key', '=', 'boot').execute();
});

test('odd requests are answered with the own disk or a clear refusal', async () => {
  expect(await script('mac=%00%0a;reboot')).toContain('the request names no machine');
  expect((await ask(`/boot/v1/ipxe?mac=${'a'.repeat(5000)}`)).status).toBe(404);
  expect((await ask('/boot/v1/files/../../../etc/passwd')).status).toBe(404);
  expect((await ask('/boot/v1/files/%2e%2e/%2e%2e/etc/passwd')).status).toBe(404);
  expect((await ask('/boot/v1/nothing')).status).toBe(404);
  expect((await ask('/boot/v1/ipxe', 'DELETE')).status).toBe(405);
  expect((await ask(`/boot/v1/install/${'A'.repeat(43)}/plan`)).status).toBe(401);
  expect((await ask('/boot/v1/up/x', 'POST', 'boot_id=1')).status).toBe(400);
});

test('GRUB gets the same decision in its own words', async () => {
  const text = (await ask(`/boot/v1/grub/${mac(50)}/grub.cfg`)).text;
  expect(text).toContain('linux (tftp,192.168.77.1)/boot/v1/files/discovery/vmlinuz');
  expect(text).toMatch(/initrd \(tftp,192\.168\.77\.1\)\/boot\/v1\/seed\//);
});

test('files come in ranges, and a file whose bytes are not the registered ones never', async () => {
  mkdirSync(join(deps.files.folder, 'images'));
  const path = join(deps.files.folder, 'images/a.bin');
  writeFileSync(path, '0123456789');
  await registerFile(database.db, { folder: deps.files.folder, path: 'images/a.bin' });
  const whole = await ask('/boot/v1/files/images/a.bin');
  expect(whole.body).toMatchObject({ start: 0, end: 9 });
  const part = await ask('/boot/v1/files/images/a.bin', 'GET', '', { range: 'bytes=3-' });
  expect([part.status, part.headers['content-range']]).toEqual([206, 'bytes 3-9/10']);
  expect((await ask('/boot/v1/files/images/a.bin', 'GET', '', { range: 'bytes=10-' })).status).toBe(
    416,
  );
  expect(
    (await ask('/boot/v1/files/images/a.bin', 'GET', '', { range: 'bytes=-4' })).headers[
      'content-range'
    ],
  ).toBe('bytes 6-9/10');
  expect(
    (
      await ask('/boot/v1/files/images/a.bin', 'GET', '', {
        'if-none-match': whole.headers['etag'] ?? '',
      })
    ).status,
  ).toBe(304);
  writeFileSync(path, '012345678X');
  expect((await ask('/boot/v1/files/images/a.bin')).text).toContain('wrong checksum');
  await expect(
    registerFile(database.db, {
      folder: deps.files.folder,
      path: 'images/a.bin',
      sha256: 'f'.repeat(64),
    }),
  ).rejects.toThrow(/has checksum/);
});

test('the listener serves files whole and in parts, and refuses a body without end', async () => {
  const listener = await listenForLoaders(deps, { host: '127.0.0.1', port: 0 });
  try {
    const base = `http://127.0.0.1:${listener.port}/boot/v1`;
    mkdirSync(join(deps.files.folder, 'big'));
    writeFileSync(join(deps.files.folder, 'big/file'), Buffer.alloc(3_000_000, 7));
    await registerFile(database.db, { folder: deps.files.folder, path: 'big/file' });
    expect((await (await fetch(`${base}/files/big/file`)).arrayBuffer()).byteLength).toBe(
      3_000_000,
    );
    const tail = await fetch(`${base}/files/big/file`, { headers: { range: 'bytes=2999990-' } });
    expect([tail.status, (await tail.arrayBuffer()).byteLength]).toEqual([206, 10]);
    const flood = await fetch(`${base}/install/x/log`, {
      method: 'POST',
      body: 'x'.repeat(400_000),
    });
    expect(flood.status).toBe(413);
  } finally {
    await listener.close();
  }
});

test('the flight recorder tells one story per boot and holds no token', async () => {
  const nodeId = await addNode(database, {
    name: 'recorded',
    macs: [mac(60)],
    bootenv: 'discovery',
  });
  await ask(seedPath(await script(`mac=${mac(60)}`)));
  await script(`mac=${mac(60)}`);
  const attempts = await bootsOf(database, nodeId);
  expect(attempts).toHaveLength(2);
  const story = writeBootTimeline(await readBootTimeline(database.db, attempts[1]?.id ?? 0));
  expect(story).toMatch(
    /script +discovery: its boot environment is discovery\n.*file +seed for discovery handed out/,
  );
  expect(story).not.toMatch(/[A-Za-z0-9_-]{43}/);
  expect(logPath(seedPath(await script(`mac=${mac(60)}`)))).toBe('/boot/v1/seed/…/seed.cpio');
});

test('what a flood left is forgotten after a day, what a node did is kept', async () => {
  const nodeId = await addNode(database, { name: 'kept', macs: [mac(70)], bootenv: 'discovery' });
  await ask(seedPath(await script(`mac=${mac(70)}`)));
  await script(`mac=${mac(71)}`);
  await sql`update boot_attempt set started_at = now() - interval '2 days'`.execute(database.db);
  await sql`update boot_intent set created_at = now() - interval '2 days'`.execute(database.db);
  await sql`update boot_token set expires_at = now() - interval '2 days'`.execute(database.db);
  expect(await pruneBoots(database.db)).toBeGreaterThan(3);
  expect(await bootsOf(database, nodeId)).toHaveLength(1);
  const left = await database.db
    .selectFrom('boot_attempt')
    .select('id')
    .where('node_id', 'is', null)
    .execute();
  expect(left).toEqual([]);
});

test('the keeper turns a phase that is late into an error by itself', async () => {
  const nodeId = await addNode(database, { name: 'swept', macs: [mac(72)] });
  await sql`insert into os_install (node_id, noderole_id, run_id, plan, phase, phase_deadline, boot_epoch) values (${nodeId}, 1, 999, '{}', 'boot', now() - interval '1 second', 0)`.execute(
    database.db,
  );
  const keeper = startBootKeeper({ database, log: SILENT });
  try {
    await eventually(
      async () =>
        (
          await database.db
            .selectFrom('os_install')
            .select('phase')
            .where('run_id', '=', 999)
            .executeTakeFirstOrThrow()
        ).phase === 'failed',
    );
  } finally {
    await keeper.stop();
  }
});
