/** A machine is given back: its disks are erased by itself, and it waits in discovery for what comes next. */
import { bootAdviser, releaseNode } from '@hostwright/boot';
import { eventually } from '@hostwright/testkit';
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
      .executeTakeFirst();

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
    const done = await release(['vda', 'vdb']);
    if (!done.ok) throw new Error(JSON.stringify(done.refusals));
    // begun at once, or by the keeper if it is at work just now
    const { erasing, toErase } = done.released;
    expect([...erasing, ...toErase]).toMatchObject([{ serial: 'DSK60' }, { serial: 'DSK60N1' }]);
    const { id } = await eventually(() => eraser(node.id));
    expect(await settled(site, machine, id)).toEqual({ state: 'active', reason: '' });
    await discovered(site, machine, node.boot_epoch);
    await machine.cut();
    expect(machine.disks.map((disk) => isMarked(disk))).toEqual([false, false]);
  });
});
