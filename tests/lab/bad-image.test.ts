/** Images that are wrong: a clear error on the node it concerns, nothing else disturbed. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registerFile } from '@hostwright/boot';
import type { LabMachine } from '@hostwright/providers';
import { buildMini } from '@hostwright/server';
import { eventually } from '@hostwright/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isMarked, markDisk } from './disk.ts';
import { createInstallSite, type InstallSite } from './install-site.ts';
import { discovered, LONG, longLab, settled } from './look.ts';

const IMAGE = 'images/default.tar.gz';

describe.skipIf(!longLab())('wrong images', () => {
  let site: InstallSite;
  beforeAll(async () => {
    site = await createInstallSite();
  }, 600_000);
  afterEach(async () => site.cutAll());
  afterAll(async () => site.close(), 300_000);

  const register = () => registerFile(site.database.db, { folder: site.files, path: IMAGE });

  const othersInError = (noderoleId: number) =>
    site.database.db
      .selectFrom('noderole')
      .select('id')
      .where('id', '<>', noderoleId)
      .where('state', '=', 'error')
      .orderBy('id')
      .execute();

  /** Ends in an error; the machine is back in discovery, and nothing else is in error because of it. */
  const fails = async (machine: LabMachine, noderoleId: number): Promise<string> => {
    const others = await othersInError(noderoleId);
    const before = await site.database.db
      .selectFrom('node')
      .select('boot_epoch')
      .where('system_uuid', '=', machine.uuid)
      .executeTakeFirstOrThrow();
    const ended = await settled(site, machine, noderoleId);
    expect(ended.state).toBe('error');
    // an installer says no hello: the next boot that does is the one after it
    const after = await discovered(site, machine, before.boot_epoch);
    expect(after.bootenv).toBe('discovery');
    expect(await othersInError(noderoleId)).toEqual(others);
    await machine.cut();
    return ended.reason;
  };
  const ready = async (name: string, number: number, gigabytes = 4): Promise<LabMachine> => {
    const machine = await site.machine({ name, number, memory: 768, disks: [gigabytes] });
    markDisk(machine.disks[0] ?? '');
    await site.bmc(machine);
    await site.powerOn(machine);
    await discovered(site, machine);
    return machine;
  };

  test('changed on the server: it is not served, and no disk is touched', LONG, async () => {
    const machine = await ready('changed', 60);
    appendFileSync(join(site.files, IMAGE), 'x');
    const { noderoleId } = await site.install({ machine, deployment: 'changed' });
    const reason = await fails(machine, noderoleId);
    expect(reason).toMatch(/the image is not served .*checksum wrong\? No disk was touched/);
    expect(isMarked(machine.disks[0] ?? '')).toBe(true);
  });

  test('another one than the plan named: no disk is touched', LONG, async () => {
    await buildMini(join(site.files, IMAGE));
    await register();
    const machine = await ready('other', 61);
    const { noderoleId } = await site.install({ machine, deployment: 'other' });
    await eventually(
      () =>
        site.database.db
          .selectFrom('os_install')
          .select('id')
          .where('noderole_id', '=', noderoleId)
          .executeTakeFirst(),
      { what: 'the frozen plan' },
    );
    await buildMini(join(site.files, IMAGE), ['raid']);
    await register();
    expect(await fails(machine, noderoleId)).toContain(
      'is not the one of the plan (checksum); no disk was touched',
    );
    expect(isMarked(machine.disks[0] ?? '')).toBe(true);
  });

  test('larger than the disk: the disk is full, and it says so', LONG, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hostwright-large-'));
    execFileSync('truncate', ['-s', '1300M', join(folder, 'fill')]);
    execFileSync('sh', [
      '-c',
      'tar -C "$1" -cf - fill | gzip -1 >"$2"',
      'sh',
      folder,
      join(site.files, IMAGE),
    ]);
    rmSync(folder, { recursive: true });
    await register();
    const machine = await ready('full', 62, 1);
    const { noderoleId } = await site.install({ machine, deployment: 'full' });
    expect(await fails(machine, noderoleId)).toContain('the disk is full');
  });
});
