/** A machine is given back: its disks are erased by itself, and it waits in discovery for what comes next. */
import { bootAdviser, releaseNode } from '@hostwright/boot';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isMarked, markDisk } from './disk.ts';
import { createInstallSite, type InstallSite } from './install-site.ts';
import { discovered, LONG, longLab, settled } from './look.ts';

describe.skipIf(!longLab())('erasing', () => {
  let site: InstallSite;
  beforeAll(async () => {
    site = await createInstallSite();
  }, 600_000);
  afterAll(async () => site.close(), 300_000);

  const eraser = (nodeId: number) =>
    site.database.db
      .selectFrom('noderole')
      .innerJoin('role', 'role.id', 'noderole.role_id')
      .select('noderole.id')
      .where('role.name', '=', 'provisioner-erase')
      .where('noderole.node_id', '=', nodeId)
      .executeTakeFirstOrThrow();

  test('a released machine erases the disks that were named, and only then', LONG, async () => {
    const machine = await site.machine({ name: 'given-back', number: 60, disks: [1, 1] });
    for (const disk of machine.disks) markDisk(disk);
    await site.bmc(machine);
    await site.powerOn(machine);
    const node = await discovered(site, machine);
    const release = (disks: readonly string[]) =>
      releaseNode(site.database.db, {
        node: node.name,
        actor: 'lab',
        erase: { disks, how: 'quick' },
        advisers: [bootAdviser],
      });
    expect(await release(['vda'])).toMatchObject({ ok: false });
    expect(await release(['vda', 'vdb'])).toMatchObject({
      ok: true,
      released: { pending: [], erasing: [{ serial: 'DSK60' }, { serial: 'DSK60N1' }] },
    });
    const { id } = await eraser(node.id);
    expect(await settled(site, machine, id)).toEqual({ state: 'active', reason: '' });
    await discovered(site, machine, node.boot_epoch);
    await machine.cut();
    expect(machine.disks.map((disk) => isMarked(disk))).toEqual([false, false]);
  });
});
