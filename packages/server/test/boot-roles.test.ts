import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importBarclamp, loadHooks, masterKey } from '@hostwright/engine';
import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { bootTransitions } from '../src/index.ts';

const BARCLAMPS = ['core', 'network', 'dhcp', 'dns', 'provisioner'];
const folderOf = (name: string) =>
  fileURLToPath(new URL(`../../../barclamps/${name}`, import.meta.url));

test('every role of the boot barclamps that a function carries out has one, and the barclamps import twice', async () => {
  await using database = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-roles-'));
  try {
    for (const name of ['noop', 'role-provided', 'script'])
      await database.db.insertInto('jig').values({ name }).execute();
    for (const name of [...BARCLAMPS, ...BARCLAMPS])
      await importBarclamp(database.db, { folder: folderOf(name), actor: 'test' });
    for (const name of ['dhcp', 'dns']) expect(await loadHooks(folderOf(name))).toBeDefined();
    const transitions = bootTransitions({
      database,
      master: masterKey(Buffer.alloc(32, 1)),
      folder,
    });
    const roles = await database.db
      .selectFrom('role')
      .select(['name', 'lane', 'destructive'])
      .where('jig', '=', 'role-provided')
      .execute();
    expect(roles.map((role) => role.name).sort()).toEqual(Object.keys(transitions).sort());
    expect(
      roles
        .filter((role) => role.destructive)
        .map((role) => role.name)
        .sort(),
    ).toEqual(['provisioner-erase', 'provisioner-os-install']);
    expect(
      roles
        .filter((role) => role.lane !== 'service')
        .map((role) => role.name)
        .sort(),
    ).toEqual(['provisioner-erase', 'provisioner-os-install']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
