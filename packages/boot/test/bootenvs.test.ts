/** What each boot environment makes a loader do, and what a machine in rescue may and may not. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainNode, putSetting, transaction } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerBootRequest, openIntent, type BootDeps } from '../src/index.ts';
import { addNode, bootDeps, mac } from './fixtures.ts';

let database: TestDatabase;
let deps: BootDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = bootDeps(database);
});
afterAll(async () => database.close());

const KEY = `ssh-ed25519 ${'A'.repeat(68)} anna@desk`;
const ask = async (url: string, method = 'GET', body = '') => {
  const answer = await answerBootRequest(deps, { method, url, headers: {}, body });
  return { status: answer.status, body: Buffer.from(answer.body as string | Buffer) };
};
const script = async (query: string) => (await ask(`/boot/v1/ipxe?${query}`)).body.toString();
const grub = async (address: string) =>
  (await ask(`/boot/v1/grub/${address}/grub.cfg`)).body.toString();
const intend = async (bootenv: string, number: number) => {
  const nodeId = await addNode(database, { name: `n${number}`, macs: [mac(number)] });
  await transaction(database.db, (tx) => openIntent(tx, { nodeId, bootenv, seconds: 600 }));
  return nodeId;
};
const unpack = (cpio: Buffer): string => {
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-seed-'));
  execFileSync('cpio', ['-id', '--quiet', '--no-absolute-filenames'], { cwd: folder, input: cpio });
  return folder;
};
const events = (nodeId: number) =>
  database.db
    .selectFrom('boot_event')
    .innerJoin('boot_attempt', 'boot_attempt.id', 'boot_event.attempt_id')
    .select(['boot_event.kind', 'boot_event.text'])
    .where('node_id', '=', nodeId)
    .orderBy('boot_event.id')
    .execute();

test('memtest is a program of its own under BIOS and under UEFI, for one boot', async () => {
  await intend('memtest', 1);
  await intend('memtest', 2);
  await intend('memtest', 3);
  const bios = await script(`mac=${mac(1)}&platform=pcbios`);
  expect(bios).toContain(
    'kernel http://192.168.77.1:8080/boot/v1/files/memtest/memtest.bin console=ttyS0,115200 ||',
  );
  expect(bios).not.toContain('initrd');
  const uefi = await script(`mac=${mac(2)}&platform=efi`);
  expect(uefi).toContain('/memtest/memtest.efi console=ttyS0,115200 ||');
  expect(await grub(mac(3))).toMatch(/chainloader \S+\/boot\/v1\/files\/memtest\/memtest\.efi/);
  expect(await script(`mac=${mac(1)}&platform=pcbios`)).toContain('sanboot');
});

test('local is the own disk in every loader', async () => {
  await addNode(database, { name: 'own', macs: [mac(9)], bootenv: 'local' });
  expect(await script(`mac=${mac(9)}&platform=pcbios`)).toContain(
    'sanboot --no-describe --drive 0x80 || exit',
  );
  expect(await script(`mac=${mac(9)}&platform=efi`)).toMatch(/^exit 1$/m);
  // firmware may take a GRUB that ends for an answer, and open its setup
  expect(await grub(mac(9))).toMatch(
    / BOOT\/BOOTX64\.EFI; do[^]*chainloader [^]* boot\n[^]* exit\n\}/,
  );
});

const CHECKER = '/usr/bin/grub-script-check';
test.skipIf(!existsSync(CHECKER))('GRUB itself can read what it is given', async () => {
  await intend('discovery', 14);
  await intend('memtest', 15);
  await addNode(database, { name: 'disk', macs: [mac(16)], bootenv: 'local' });
  for (const number of [14, 15, 16])
    execFileSync(CHECKER, { input: await grub(mac(number)), stdio: 'pipe' });
});

test('rescue gets the keys of the setting and of the last installation, and no join token', async () => {
  await putSetting(database.db, {
    key: 'boot',
    value: { rescueKeys: [KEY, 'command="reboot" ssh-ed25519 AAAA'] },
  });
  const nodeId = await intend('rescue', 4);
  const text = await script(`mac=${mac(4)}&platform=pcbios`);
  expect(text).toContain('/discovery/vmlinuz');
  const path = /\/boot\/v1\/seed\/[^/]+\/seed\.cpio/.exec(text)?.[0] ?? '';
  const folder = unpack((await ask(path)).body);
  const read = (file: string) => readFileSync(join(folder, 'etc/hostwright', file), 'utf8');
  // a key with options of its own would run something: it is left out
  expect(read('authorized_keys')).toBe(`${KEY}\n`);
  expect(read('seed')).toMatch(/^mode=rescue\nurl=.*\nboot_url=.*\nrescue=[\w-]{43}\n$/);
  const tokens = await database.db
    .selectFrom('token')
    .select('id')
    .where('kind', '=', 'join')
    .execute();
  expect(tokens).toEqual([]);

  const token = /rescue=(.*)/.exec(read('seed'))?.[1] ?? '';
  const fingerprint = `SHA256:${'a'.repeat(43)}`;
  const up = `addresses=x;reboot 192.168.77.104 &fingerprint=${fingerprint}`;
  expect((await ask(`/boot/v1/rescue/${'x'.repeat(43)}`, 'POST', up)).status).toBe(401);
  expect((await ask(`/boot/v1/rescue/${token}`, 'POST', up)).status).toBe(200);
  expect((await ask(`/boot/v1/rescue/${token}`, 'POST', up)).status).toBe(409);
  expect(await events(nodeId)).toContainEqual({
    kind: 'callback',
    text: `rescue is up: ssh root@192.168.77.104, host key ${fingerprint}`,
  });
  expect((await explainNode(database.db, nodeId)).sentence).toMatch(
    /^n4 has been in rescue for \d+ seconds?, where no agent runs; rescue is up: ssh root@/,
  );
  rmSync(folder, { recursive: true });
});

test('after rescue the next boot is as before', async () => {
  expect(await script(`mac=${mac(4)}&platform=pcbios`)).toContain('sanboot');
  expect((await explainNode(database.db, 'n4')).sentence).not.toContain('rescue');
});
