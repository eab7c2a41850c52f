/** Hostwright is switched off, its DHCP server goes on: a machine whose boot environment is local starts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setNodeBootenv, transaction } from '@hostwright/engine';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeBootSector } from './disk.ts';
import { discovered, explained, LONG, longLab } from './look.ts';
import { createLabSite, type LabSite } from './site.ts';

const WORD = 'started from its own disk';

describe.skipIf(!longLab())('with Hostwright switched off', () => {
  let site: LabSite;
  beforeAll(async () => {
    site = await createLabSite();
  }, 600_000);
  afterAll(async () => site.close(), 300_000);

  test(
    'a local machine whose firmware asks the network first starts from its disk',
    LONG,
    async () => {
      const machine = await site.machine({ name: 'local', number: 53 });
      writeBootSector(machine, WORD);
      await machine.start();
      const node = await discovered(site, machine);
      // it was the network that it started from
      expect(machine.console()).not.toContain(WORD);
      await machine.cut();
      await transaction(site.database.db, (tx) =>
        setNodeBootenv(tx, { nodeId: node.id, bootenv: 'local' }),
      );
      await site.feed();
      await site.stopServer();
      const dhcp = () => readFileSync(join(site.home, 'rack-dnsmasq/dnsmasq.log'), 'utf8');
      const before = dhcp().length;
      await machine.start();
      await explained(
        machine,
        eventually(() => machine.console().includes(WORD), {
          limitSeconds: 600,
          what: 'the system on the disk',
        }),
      );
      // DHCP sent it to Hostwright all the same; there it found nobody
      expect(dhcp().slice(before)).toContain(`${site.bootUrl}/boot/v1/ipxe`);
      await machine.cut();
    },
  );
});
