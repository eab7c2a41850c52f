/** The long lab: `npm run test:lab`. Each case boots machines for minutes. */
import { listBootAttempts } from '@hostwright/boot';
import {
  missingForRack,
  redfishHammer,
  startRedfishEmulator,
  type LabMachine,
} from '@hostwright/providers';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInstallSite, type InstallSite } from './install-site.ts';

const wanted = process.env['HOSTWRIGHT_SUITE'] === 'lab' && missingForRack().length === 0;
const LONG = { timeout: 1_800_000 };

describe.skipIf(!wanted)('the rack', () => {
  let site: InstallSite;
  beforeAll(async () => {
    site = await createInstallSite();
  }, 600_000);
  afterAll(async () => site.close(), 300_000);

  const alive = (machine: LabMachine) =>
    eventually(
      async () => {
        const found = await site.nodeOf(machine);
        return found?.alive === true ? found : null;
      },
      { limitSeconds: 600, what: `${machine.name} is alive` },
    );
  const discovered = (machine: LabMachine) =>
    eventually(
      async () => {
        const node = await alive(machine);
        return site.database.db
          .selectFrom('node')
          .selectAll()
          .where('id', '=', node.id)
          .where('discovered_at', 'is not', null)
          .executeTakeFirst();
      },
      { limitSeconds: 120, what: `inventory of ${machine.name}` },
    );

  test('a UEFI machine is discovered', LONG, async () => {
    const machine = await site.machine({ name: 'uefi', number: 30, firmware: 'uefi' });
    await machine.start();
    const node = await discovered(machine);
    expect(node.discovery).toMatchObject({ firmware: 'uefi' });
    await machine.cut();
  });

  test('a real NIC model (e1000) is driven by the discovery image', LONG, async () => {
    const machine = await site.machine({ name: 'e1000', number: 31, nicModel: 'e1000' });
    await machine.start();
    await discovered(machine);
    await machine.cut();
  });

  test('B13: booting from the second NIC is the same node', LONG, async () => {
    const machine = await site.machine({ name: 'twonics', number: 32, nics: 2 });
    await machine.start();
    const first = await discovered(machine);
    await machine.cut();
    await machine.start({ bootNic: 1 });
    await eventually(
      async () => (await listBootAttempts(site.database.db, { nodeId: first.id })).length === 2,
      { limitSeconds: 600, what: 'a second boot' },
    );
    const nodes = await site.database.db
      .selectFrom('node')
      .select('id')
      .where('system_uuid', '=', machine.uuid)
      .execute();
    expect(nodes).toHaveLength(1);
    await machine.cut();
  });

  test('Redfish switches the same machines', LONG, async () => {
    const machine = await site.machine({ name: 'redfish', number: 33 });
    const account = { username: 'admin', password: 'lab-secret' };
    const emulator = await startRedfishEmulator(machine, account);
    const hammer = redfishHammer({ endpoint: emulator.url, ...account });
    await hammer.bootDevice?.setOnce('network');
    await hammer.power?.on();
    await discovered(machine);
    await hammer.power?.off();
    expect(machine.isOn()).toBe(false);
    await emulator.close();
  });

  test(
    'a power cut while the disk is written ends in an error, and the machine comes back to discovery',
    LONG,
    async () => {
      const machine = await site.machine({ name: 'cut', number: 34, memory: 768 });
      await site.bmc(machine);
      await site.powerOn(machine);
      await discovered(machine);
      const { noderoleId } = await site.install({ machine, deployment: 'cut' });
      await eventually(
        async () =>
          (await site.database.db
            .selectFrom('os_install')
            .select('id')
            .where('wipe_granted_at', 'is not', null)
            .where('phase', '=', 'installing')
            .executeTakeFirst()) !== undefined,
        {
          limitSeconds: 900,
          what: 'the disk is being written',
        },
      );
      await machine.cut();
      await machine.start();
      const ended = await eventually(
        async () => {
          const state = await site.state(noderoleId);
          return state.state === 'error' ? state : null;
        },
        { limitSeconds: 600, what: 'a clean error' },
      );
      expect(ended.reason).toContain('not erased again');
      await alive(machine);
      const installs = await site.database.db
        .selectFrom('os_install')
        .select('id')
        .where('noderole_id', '=', noderoleId)
        .execute();
      expect(installs).toHaveLength(1);
      await machine.cut();
    },
  );

  test('with Hostwright switched off an installed machine boots from its disk', LONG, async () => {
    const machine = await site.machine({ name: 'local', number: 35, memory: 768 });
    await site.bmc(machine);
    await site.powerOn(machine);
    await discovered(machine);
    const { noderoleId } = await site.install({ machine, deployment: 'local' });
    await eventually(async () => (await site.state(noderoleId)).state === 'active', {
      limitSeconds: 1200,
      what: 'the installation',
    });
    await machine.cut();
    await site.stopServer();
    await machine.start();
    await eventually(() => /mini: .* is up/.test(machine.console()), {
      limitSeconds: 600,
      what: 'the system on the disk',
    });
  });
});

describe.skipIf(!wanted)('Secure Boot', () => {
  test('the signed shim and GRUB lead into discovery', LONG, async () => {
    const site = await createInstallSite({ secureBoot: true });
    try {
      const machine = await site.machine({
        name: 'secure',
        number: 40,
        firmware: 'secure',
        memory: 1024,
      });
      await machine.start();
      await eventually(async () => (await site.nodeOf(machine))?.alive, {
        limitSeconds: 900,
        what: 'a node by Secure Boot',
      });
    } finally {
      await site.close();
    }
  });
});
