import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import {
  createMasker,
  deleteSecret,
  listSecrets,
  masterKey,
  putSecret,
  readKeyFile,
  readSecret,
  resolveSecrets,
  reveal,
  rotateMasterKey,
} from '@hostwright/engine';

const CANARY = 'canary-5tr0ng"pass/word';

test('a secret shows itself to nothing that prints', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const master = masterKey(randomBytes(32));
  await putSecret(db, { name: 'db/password', value: CANARY, master, actor: 'anna' });
  const secret = await readSecret(db, { name: 'db/password', master });
  expect(reveal(secret)).toBe(CANARY);
  for (const shown of [
    JSON.stringify({ secret }),
    inspect(secret),
    inspect({ deep: { secret } }, { showHidden: true, depth: 9 }),
    String(secret),
    Object.entries(secret).join(),
  ])
    expect(shown).not.toContain('canary');
});

test('a value that a log could not hide is refused', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const master = masterKey(randomBytes(32));
  for (const value of ['', 'abc', '  a  ', 'ab\ncd'])
    await expect(
      putSecret(db, { name: 'weak', value, master, actor: 'anna' }),
    ).rejects.toMatchObject({ code: 'bad_input', refusals: [{ path: 'value' }] });
  await putSecret(db, { name: 'enough', value: 'abcd', master, actor: 'anna' });
});

test('the value is in no table, event or log of the database', async () => {
  await using database = await createTestDatabase();
  const { db, pool } = database;
  const master = masterKey(randomBytes(32));
  await putSecret(db, { name: 'canary', value: CANARY, master, actor: 'anna' });
  await resolveSecrets(db, { attribs: { password: { $secret: 'canary' } }, master });
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  expect(rows.length).toBeGreaterThan(30);
  for (const { name } of rows) {
    const found = await pool.query(
      `select 1 from ${name} t where t::text like '%' || $1 || '%' or t::text like '%' || $2 || '%'`,
      [CANARY.slice(0, 12), Buffer.from(CANARY).toString('hex')],
    );
    expect([name, found.rowCount]).toEqual([name, 0]);
  }
});

test('a sealed value opens only under its own name and key', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const master = masterKey(randomBytes(32));
  await putSecret(db, { name: 'one', value: CANARY, master, actor: 'anna' });
  await putSecret(db, { name: 'two', value: 'other', master, actor: 'anna' });
  await expect(
    readSecret(db, { name: 'one', master: masterKey(randomBytes(32)) }),
  ).rejects.toMatchObject({ code: 'unavailable' });
  const { sealed } = await db
    .selectFrom('secret')
    .select('sealed')
    .where('name', '=', 'one')
    .executeTakeFirstOrThrow();
  await db.updateTable('secret').set({ sealed }).where('name', '=', 'two').execute();
  await expect(readSecret(db, { name: 'two', master })).rejects.toMatchObject({ code: 'internal' });
});

test('after a rotation only the new key opens, and a second rotation changes nothing', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const [from, to] = [masterKey(randomBytes(32)), masterKey(randomBytes(32))];
  for (const name of ['a1', 'b2', 'c3'])
    await putSecret(db, { name, value: `value ${name}`, master: from, actor: 'anna' });
  expect(await rotateMasterKey(db, { from, to, actor: 'anna' })).toEqual({ rotated: 3 });
  expect(await rotateMasterKey(db, { from, to, actor: 'anna' })).toEqual({ rotated: 0 });
  expect(reveal(await readSecret(db, { name: 'b2', master: to }))).toBe('value b2');
  await expect(readSecret(db, { name: 'b2', master: from })).rejects.toMatchObject({
    code: 'unavailable',
  });
});

test('a secret that is used is not deleted, and the answer names every user', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const master = masterKey(randomBytes(32));
  await putSecret(db, { name: 'hook', value: CANARY, master, actor: 'anna' });
  await db
    .insertInto('webhook')
    .values({ name: 'w', url: 'https://example.org', secret: 'hook' })
    .execute();
  expect(await deleteSecret(db, { name: 'hook', actor: 'anna' })).toMatchObject({
    ok: false,
    refusals: [{ path: 'webhook w' }],
  });
  await db.deleteFrom('webhook').execute();
  expect(await deleteSecret(db, { name: 'hook', actor: 'anna' })).toEqual({ ok: true });
  expect(await listSecrets(db)).toEqual([]);
});

test('references are resolved in memory only, and one that is missing is named', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const master = masterKey(randomBytes(32));
  await putSecret(db, { name: 'pw', value: CANARY, master, actor: 'anna' });
  const attribs = { users: [{ name: 'root', password: { $secret: 'pw' } }], n: 1 };
  expect(await resolveSecrets(db, { attribs, master })).toEqual({
    attribs: { users: [{ name: 'root', password: CANARY }], n: 1 },
    values: [CANARY],
  });
  await expect(
    resolveSecrets(db, { attribs: { a: { $secret: 'nope' } }, master }),
  ).rejects.toMatchObject({ code: 'refused', refusals: [{ path: 'nope' }] });
});

test('a key file that others could read is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'key-'));
  const path = join(folder, 'master.key');
  const key = randomBytes(32);
  writeFileSync(path, `${key.toString('base64')}\n`, { mode: 0o600 });
  expect((await readKeyFile(path)).key).toEqual(key);
  chmodSync(path, 0o644);
  await expect(readKeyFile(path)).rejects.toMatchObject({ code: 'forbidden' });
  rmSync(folder, { recursive: true });
});

test('no cut of a stream lets a secret through', () => {
  const secrets = [CANARY, 'multi\nline-secret', 'aaaa-aaab'];
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(...secrets, 'aaaa-aaaa-aaab', 'x'), fc.string()), {
        maxLength: 12,
      }),
      fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 20 }),
      (parts, cuts) => {
        const masker = createMasker(secrets);
        let rest = parts.join('');
        let out = '';
        for (let n = 0; rest !== ''; n++) {
          const size = (cuts[n % cuts.length] ?? 0) + 1;
          out += masker.push(rest.slice(0, size));
          rest = rest.slice(size);
        }
        out += masker.flush();
        for (const secret of [CANARY, 'line-secret', 'aaaa-aaab'])
          expect(out).not.toContain(secret);
      },
    ),
  );
});

test('a secret is masked as it commonly gets printed', () => {
  const masker = createMasker([CANARY]);
  for (const printed of [
    `password=${CANARY}.`,
    JSON.stringify({ password: CANARY }),
    `https://u:${encodeURIComponent(CANARY)}@host/`,
    `Authorization: Basic ${Buffer.from(`user:${CANARY}`).toString('base64')}`,
  ])
    expect(masker.mask(printed)).toContain('[secret]');
  expect(masker.mask('nothing here')).toBe('nothing here');
});

test('in a value every text is masked, and a secret that looks like JSON does not break it', () => {
  const masker = createMasker(['pass"word', 'true', '1234']);
  expect(
    masker.maskValue({
      dump: JSON.stringify({ pw: 'pass"word' }),
      'of pass"word': [null, true, false],
      port: 12345,
      untouched: { seconds: 99 },
    }),
  ).toEqual({
    dump: '{"pw":"[secret]"}',
    'of [secret]': [null, true, false],
    port: '[secret]5',
    untouched: { seconds: 99 },
  });
});
