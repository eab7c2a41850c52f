/** IPMI and Redfish on machines that really start: what a BMC did is seen on the machine. */
import {
  redfishHammer,
  startRedfishEmulator,
  type Hammer,
  type LabMachine,
  type RedfishEmulator,
} from '@hostwright/providers';
import { eventually } from '@hostwright/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isMarked, markDisk, writeBootSector } from './disk.ts';
import { createInstallSite, type InstallSite } from './install-site.ts';
import { discovered, explained, LONG, longLab, settled } from './look.ts';

const ACCOUNT = { username: 'admin', password: 'lab-secret' };

describe.skipIf(!longLab())('hammers', () => {
  let site: InstallSite;
  const emulators: RedfishEmulator[] = [];
  beforeAll(async () => {
    site = await createInstallSite();
  }, 600_000);
  afterEach(async () => site.cutAll());
  afterAll(async () => {
    for (const emulator of emulators) await emulator.close();
    await site.close();
  }, 300_000);

  const redfish = async (machine: LabMachine): Promise<[Hammer, RedfishEmulator]> => {
    const emulator = await startRedfishEmulator(machine, ACCOUNT);
    emulators.push(emulator);
    const hammer = redfishHammer({ endpoint: emulator.url, ...ACCOUNT, settleSeconds: 10 });
    site.giveHammer(machine, hammer);
    return [hammer, emulator];
  };

  const ownDisk = (machine: LabMachine) =>
    explained(
      machine,
      eventually(() => machine.console().includes('started from its own disk'), {
        limitSeconds: 120,
        what: 'the disk',
      }),
    );

  test.each([
    ['ipmi', 33],
    ['redfish', 37],
  ] as const)(
    '%s switches a machine, and its one-time boot from the network is for once',
    LONG,
    async (kind, number) => {
      const machine = await site.machine({ name: kind, number, bootFirst: 'disk' });
      writeBootSector(machine, 'started from its own disk');
      const hammer = kind === 'ipmi' ? await site.bmc(machine) : (await redfish(machine))[0];
      expect(await hammer.power?.status()).toBe('off');
      await hammer.power?.on();
      await ownDisk(machine);
      expect(await site.nodeOf(machine)).toBeUndefined();
      await hammer.bootDevice?.setOnce('network');
      await hammer.power?.reset();
      await discovered(site, machine);
      await hammer.power?.reset();
      await ownDisk(machine);
      await hammer.power?.off();
      expect(machine.isOn()).toBe(false);
      expect(await hammer.power?.status()).toBe('off');
    },
  );

  test(
    'a BMC that lies about a restart stops the installation of its node, before any disk is touched',
    LONG,
    async () => {
      const machine = await site.machine({ name: 'liar', number: 38 });
      markDisk(machine.disks[0] ?? '');
      const [hammer, emulator] = await redfish(machine);
      await hammer.power?.on();
      await discovered(site, machine);
      emulator.misbehave('lie');
      const { noderoleId } = await site.install({ machine, deployment: 'liar' });
      const ended = await settled(site, machine, noderoleId);
      expect(ended.state).toBe('error');
      expect(ended.reason).toContain('could not be restarted');
      expect(ended.reason).toContain('took the command, but the machine is not off');
      // it was never restarted, goes on polling, and is alive again
      await discovered(site, machine);
      await machine.cut();
      expect(isMarked(machine.disks[0] ?? '')).toBe(true);
    },
  );
});
