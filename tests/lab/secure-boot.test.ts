import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { discovered, LONG, longLab, recorded } from './look.ts';
import { createLabSite, type LabSite } from './site.ts';

describe.skipIf(!longLab())('Secure Boot', () => {
  let site: LabSite;
  beforeAll(async () => {
    site = await createLabSite({ secureBoot: true });
  }, 600_000);
  afterAll(async () => site.close(), 300_000);

  test(
    "firmware with Microsoft's keys, Debian's signed shim, GRUB and kernel lead into discovery",
    LONG,
    async () => {
      const machine = await site.machine({
        name: 'secure',
        number: 40,
        firmware: 'secure',
        memory: 1024,
      });
      await machine.start();
      // fifty thousand packets, each waited for: minutes on a busy computer
      const node = await discovered(site, machine, 0, 1700);
      // what the firmware itself says of this boot
      expect(node.discovery).toMatchObject({ firmware: 'uefi', secure_boot: true });
      expect(machine.console()).toContain('Fetching Netboot Image grubx64.efi');
      expect((await recorded(site, machine, 'script')).join()).toContain('discovery');
      expect((await recorded(site, machine, 'file')).join()).toContain('seed for discovery');

      // its card is replaced: GRUB tells the UUID, so the machine is no stranger
      await machine.cut();
      await site.database.db
        .updateTable('node')
        .set({ macs: ['52:54:00:00:00:99'], bootenv: 'local' })
        .where('id', '=', node.id)
        .execute();
      await machine.start();
      await eventually(
        async () => (await recorded(site, machine, 'script')).join().includes('local: '),
        { limitSeconds: 300, what: 'the machine is sent to its own disk' },
      );
    },
  );
});
