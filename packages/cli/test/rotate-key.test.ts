import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { putSecret, readKeyFile, readSecret, reveal } from '@hostwright/engine';
import { openMasterKey } from '@hostwright/server';
import { createTestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { hostwright } from './hostwright.ts';

const folder = mkdtempSync(join(tmpdir(), 'hostwright-key-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a rotation that was killed before it was done is finished by the next, and nothing starts in between', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const run = (...args: string[]) =>
    hostwright([...args, '--data-dir', folder], { DATABASE_URL: database.url });
  const key = join(folder, 'master.key');
  const old = await openMasterKey(folder);
  await putSecret(db, { name: 'bmc', value: 'hunter2-hunter2', master: old, actor: 'anna' });
  copyFileSync(key, join(folder, 'kept'));

  const rotated = await run('secret', 'rotate-key', '--json');
  expect(rotated.code, rotated.err).toBe(0);
  expect(JSON.parse(rotated.out)).toEqual({ rotated: 1 });
  const fresh = await readKeyFile(key);
  expect(reveal(await readSecret(db, { name: 'bmc', master: fresh }))).toBe('hunter2-hunter2');
  await expect(readSecret(db, { name: 'bmc', master: old })).rejects.toMatchObject({
    code: 'unavailable',
  });

  // as it is left by a kill after the secrets were sealed and before the file took its place
  renameSync(key, join(folder, 'master.key.next'));
  renameSync(join(folder, 'kept'), key);
  const started = await run('worker');
  expect(started).toMatchObject({ code: 8, out: '' });
  expect(started.err).toContain('hostwright secret rotate-key');
  const finished = await run('secret', 'rotate-key', '--json');
  expect(finished.code, finished.err).toBe(0);
  expect(JSON.parse(finished.out)).toEqual({ rotated: 0 });
  expect((await readKeyFile(key)).id).toEqual(fresh.id);
  expect(reveal(await readSecret(db, { name: 'bmc', master: await readKeyFile(key) }))).toBe(
    'hunter2-hunter2',
  );

  await sql`insert into worker (name, lease_until) values ('w1', now() + interval '1 hour')`.execute(
    db,
  );
  const before = readFileSync(key);
  const busy = await run('secret', 'rotate-key');
  expect(busy.code).toBe(6);
  expect(busy.err).toContain('w1');
  expect(readFileSync(key)).toEqual(before);
  expect(existsSync(join(folder, 'master.key.next'))).toBe(false);
});
