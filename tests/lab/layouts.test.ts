/** Layouts and choices of disks, each installed and started; then the same with Hostwright switched off. */
import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import type { Hammer, LabMachine } from '@hostwright/providers';
import { eventually } from '@hostwright/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isMarked, markDisk } from './disk.ts';
import { createInstallSite, type InstallSite } from './install-site.ts';
import { discovered, explained, LONG, longLab, settled } from './look.ts';

describe.skipIf(!longLab())('layouts', () => {
  let site: InstallSite;
  const installed: LabMachine[] = [];
  beforeAll(async () => {
    site = await createInstallSite({ parts: ['efi', 'lvm', 'raid'] });
  }, 600_000);
  afterEach(async () => site.cutAll());
  afterAll(async () => site.close(), 300_000);

  const install = async (machine: LabMachine, data: Record<string, unknown>) => {
    await site.powerOn(machine);
    await discovered(site, machine);
    const { noderoleId, plan } = await site.install({ machine, deployment: machine.name, data });
    expect(await settled(site, machine, noderoleId)).toEqual({ state: 'active', reason: '' });
    installed.push(machine);
    const { wall } = await site.database.db
      .selectFrom('noderole')
      .select('wall')
      .where('id', '=', noderoleId)
      .executeTakeFirstOrThrow();
    return { wall, plan };
  };
  const isUp = (machine: LabMachine) =>
    explained(
      machine,
      eventually(() => /mini: \S+ is up/.test(machine.console()), {
        limitSeconds: 600,
        what: 'the system on the disk',
      }),
    );
  const startAgain = async (machine: LabMachine): Promise<void> => {
    await machine.cut();
    await machine.start();
    await isUp(machine);
  };

  /** A plug that can be pulled: no BMC, nobody tells the firmware what to start from. */
  const plug = (machine: LabMachine): Hammer => ({
    kind: 'plug',
    power: {
      status: async () => (machine.isOn() ? 'on' : 'off'),
      on: () => machine.start(),
      off: () => machine.cut(),
      reset: async () => {
        await machine.cut();
        await machine.start();
      },
    },
  });

  test(
    'UEFI: the largest disk, by rule; its firmware asks the network first, and that disk next',
    LONG,
    async () => {
      const uefi = await site.machine({
        name: 'uefi',
        number: 50,
        firmware: 'uefi',
        memory: 1024,
        disks: [2, 4],
        bootFirst: 'entries',
      });
      site.giveHammer(uefi, plug(uefi));
      markDisk(uefi.disks[0] ?? '');
      const { wall } = await install(uefi, { disk: { rule: 'largest' } });
      expect(wall).toMatchObject({ os_install: { installed: { disks: ['DSK50N1'] } } });
      await startAgain(uefi);
      const tried = uefi.console().match(/Start (PXE over|HTTP Boot over) IPv./g);
      expect(tried).toEqual(['Start PXE over IPv4']);
      await uefi.cut();
      expect(isMarked(uefi.disks[0] ?? '')).toBe(true);
    },
  );

  test('LVM on a SCSI disk chosen by its serial; the other one is not touched', LONG, async () => {
    const bios = await site.machine({
      name: 'lvm',
      number: 51,
      memory: 1024,
      disks: [4, 4],
      diskBus: 'scsi',
    });
    markDisk(bios.disks[1] ?? '');
    await site.bmc(bios);
    await install(bios, { layout: 'lvm', disk: { serials: ['DSK51'] } });
    expect(bios.console()).toMatch(/mini: root is \S*(dm-0|system)/);
    await bios.cut();
    expect(isMarked(bios.disks[1] ?? '')).toBe(true);
  });

  test('RAID1: its first disk taken out, the machine starts from the second', LONG, async () => {
    const machine = await site.machine({ name: 'raid', number: 52, memory: 1024, disks: [4, 4] });
    await site.bmc(machine);
    const { wall } = await install(machine, { layout: 'raid1' });
    expect(wall).toMatchObject({ os_install: { installed: { disks: ['DSK52', 'DSK52N1'] } } });
    expect(machine.console()).toMatch(/mini: root is \/dev\/md/);
    await machine.cut();
    // the second one moves up: SeaBIOS tries no disk but its first, whatever the boot order says
    const [first = '', second = ''] = machine.disks;
    renameSync(second, first);
    execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', second, '4G']);
    await startAgain(machine);
    expect(machine.console()).toMatch(/mini: root is \/dev\/md/);
    await machine.cut();
  });

  test('with Hostwright switched off all of them start from their disks', LONG, async () => {
    expect(installed).not.toEqual([]);
    await site.stopServer();
    for (const machine of installed) {
      await startAgain(machine);
      await machine.cut();
    }
  });
});
