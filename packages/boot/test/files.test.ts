/** The store of boot files: imported whole or not at all, signed, and refused when they are not. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { masterKey } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerFile, openFileStore } from '../src/files/serve.ts';
import {
  importFile,
  placeMemtest,
  registerFolder,
  signFolder,
  signingKey,
  signText,
  verifyText,
} from '../src/index.ts';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'hostwright-files-'));
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
const from = async function* (...chunks: readonly string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
};
const row = (path: string) =>
  database.db
    .selectFrom('boot_file')
    .select(['sha256', 'size'])
    .where('path', '=', path)
    .executeTakeFirst();
const nothingIncoming = (store = folder) =>
  expect(readdirSync(join(store, '.incoming'))).toEqual([]);

describe('importing', () => {
  test('a file that came whole is registered and served; a newer one replaces it', async () => {
    const path = 'images/one.tar.gz';
    await importFile(database.db, { folder, path, source: from('a', 'b'), sha256: sha256('ab') });
    expect(await row(path)).toEqual({ sha256: sha256('ab'), size: 2 });
    await importFile(database.db, { folder, path, source: from('newer'), size: 5 });
    const store = openFileStore(folder);
    const answer = await answerFile(database.db, store, { path });
    expect(answer).toMatchObject({ status: 200, headers: { etag: `"${sha256('newer')}"` } });
    nothingIncoming();
  });

  test('a wrong checksum leaves what was there, served as before', async () => {
    const path = 'images/two.raw.zst';
    await importFile(database.db, { folder, path, source: from('good') });
    await expect(
      importFile(database.db, { folder, path, source: from('bad'), sha256: sha256('good') }),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('it was not imported'),
    });
    expect(readFileSync(join(folder, path), 'utf8')).toBe('good');
    expect(await row(path)).toEqual({ sha256: sha256('good'), size: 4 });
    expect((await answerFile(database.db, openFileStore(folder), { path })).status).toBe(200);
    nothingIncoming();
  });

  test('a sender that goes away, or sends less than it said, leaves nothing', async () => {
    const gone = async function* () {
      yield Buffer.from('half');
      throw new Error('the connection broke');
    };
    const path = 'images/three.tar';
    await expect(importFile(database.db, { folder, path, source: gone() })).rejects.toThrow(
      'broke',
    );
    await expect(
      importFile(database.db, { folder, path, source: from('half'), size: 8 }),
    ).rejects.toMatchObject({ message: expect.stringContaining('4 of 8 bytes') });
    expect(existsSync(join(folder, path))).toBe(false);
    expect(await row(path)).toBeUndefined();
    nothingIncoming();
  });

  test('a database that refuses puts the old file back', async () => {
    const path = 'images/four.tar';
    await importFile(database.db, { folder, path, source: from('old') });
    // refuses when the transaction ends: by then the new file is in its place
    await sql`create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end'`.execute(
      database.db,
    );
    await sql`create constraint trigger late after update on boot_file deferrable initially deferred
      for each row when (new.path = 'images/four.tar') execute function refuse()`.execute(
      database.db,
    );
    await expect(importFile(database.db, { folder, path, source: from('newer') })).rejects.toThrow(
      'no',
    );
    await sql`drop trigger late on boot_file`.execute(database.db);
    expect(readFileSync(join(folder, path), 'utf8')).toBe('old');
    expect(await row(path)).toEqual({ sha256: sha256('old'), size: 3 });
    nothingIncoming();
  });

  test('a path out of the store is refused', async () => {
    for (const path of ['../x', '/etc/passwd', '.incoming/x', 'a/../b'])
      await expect(
        importFile(database.db, { folder, path, source: from('x') }),
      ).rejects.toMatchObject({
        code: 'bad_input',
      });
  });
});

const small = mkdtempSync(join(tmpdir(), 'hostwright-full-'));
const mounted =
  process.getuid?.() === 0 &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', small]).status === 0;

describe.skipIf(!mounted)('a full disk', () => {
  afterAll(() => {
    spawnSync('umount', [small]);
    rmSync(small, { recursive: true });
  });

  test('is said in a sentence, before or while it fills; what was there is served', async () => {
    const path = 'images/full.tar';
    await importFile(database.db, { folder: small, path, source: from('small') });
    const large = async function* () {
      for (let chunk = 0; chunk < 100; chunk++) yield Buffer.alloc(8192, chunk);
    };
    const full = {
      code: 'no_space',
      status: 507,
      message: expect.stringContaining('disk of the boot files is full'),
    };
    await expect(
      importFile(database.db, { folder: small, path, source: large(), size: 819_200 }),
    ).rejects.toMatchObject({ ...full, message: expect.stringContaining('it needs 819200 bytes') });
    await expect(
      importFile(database.db, { folder: small, path, source: large() }),
    ).rejects.toMatchObject(full);
    nothingIncoming(small);
    expect(readFileSync(join(small, path), 'utf8')).toBe('small');
    expect((await answerFile(database.db, openFileStore(small), { path })).status).toBe(200);
    await importFile(database.db, { folder: small, path, source: from('fits') });
    expect(await row(path)).toMatchObject({ size: 4 });
  });
});

describe('signed checksums', () => {
  const key = signingKey(masterKey(Buffer.alloc(32, 1)));
  const place = (name: string, content: string) => {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'vmlinuz'), content);
    writeFileSync(join(folder, name, 'SHA256SUMS'), `${sha256(content)}  vmlinuz\n`);
  };

  test('what this installation signed is served, with the signature; anything else is not', async () => {
    place('signed', 'kernel');
    await expect(
      registerFolder(database.db, { folder, name: 'signed', key }),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('not signed by this installation'),
    });
    await signFolder(signingKey(masterKey(Buffer.alloc(32, 2))), { folder, name: 'signed' });
    await expect(registerFolder(database.db, { folder, name: 'signed', key })).rejects.toThrow(
      'not signed',
    );
    await signFolder(key, { folder, name: 'signed' });
    expect(await registerFolder(database.db, { folder, name: 'signed', key })).toEqual([
      'signed/vmlinuz',
    ]);
    expect(await row('signed/SHA256SUMS.minisig')).toBeDefined();
    // somebody without the key changes a file and its checksum
    place('signed', 'other kernel');
    await expect(registerFolder(database.db, { folder, name: 'signed', key })).rejects.toThrow(
      'not signed',
    );
  });

  test('a signature is of one text, one comment and one key', () => {
    const signed = signText(key, 'sums\n', 'discovery SHA256SUMS');
    expect(verifyText(key.publicText, 'sums\n', signed)).toBe(true);
    expect(verifyText(key.publicText, 'sums', signed)).toBe(false);
    expect(verifyText(key.publicText, 'sums\n', signed.replace('discovery', 'memtest'))).toBe(
      false,
    );
    for (const bad of ['', 'x\ny\nz\n', signed.slice(0, 100)])
      expect(verifyText(key.publicText, 'sums\n', bad)).toBe(false);
    // every server with the same master key has the same one
    expect(signingKey(masterKey(Buffer.alloc(32, 1))).publicText).toBe(key.publicText);
  });

  test.skipIf(!existsSync('/usr/bin/minisign'))(
    "Debian's minisign verifies it, and only it",
    async () => {
      place('mini', 'kernel');
      await signFolder(key, { folder, name: 'mini' });
      const cwd = join(folder, 'mini');
      const verify = () =>
        spawnSync('minisign', ['-Vm', 'SHA256SUMS', '-p', 'hostwright.pub'], { cwd });
      expect(verify()).toMatchObject({ status: 0 });
      execFileSync('sha256sum', ['-c', '--quiet', 'SHA256SUMS'], { cwd });
      writeFileSync(join(cwd, 'SHA256SUMS'), `${sha256('x')}  vmlinuz\n`);
      expect(verify().status).not.toBe(0);
    },
  );
});

test.skipIf(!existsSync('/boot/memtest86+x64.efi'))(
  'memtest is placed for BIOS and UEFI',
  async () => {
    expect(await placeMemtest(folder)).toBe(true);
    expect(await registerFolder(database.db, { folder, name: 'memtest' })).toEqual([
      'memtest/memtest.bin',
      'memtest/memtest.efi',
    ]);
    expect(await placeMemtest(folder, '/nowhere')).toBe(false);
  },
);
