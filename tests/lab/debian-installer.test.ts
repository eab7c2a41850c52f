/**
 * Debian's own installer: loaded by the chain, given its preseed inside the seed, calling back as soon
 * as it has a network. Its later stages need a mirror with udebs, which a lab does not have.
 */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { registerFile } from '@hostwright/boot';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isMarked, markDisk } from './disk.ts';
import { createInstallSite, type InstallSite } from './install-site.ts';
import { discovered, explained, LONG, longLab, recorded } from './look.ts';

const NETBOOT = '/usr/lib/debian-installer/images/12/amd64/text/debian-installer/amd64';

describe.skipIf(!longLab() || !existsSync(NETBOOT))("Debian's installer", () => {
  let site: InstallSite;
  beforeAll(async () => {
    site = await createInstallSite();
    mkdirSync(join(site.files, 'debian-12'));
    for (const name of ['linux', 'initrd.gz']) {
      copyFileSync(join(NETBOOT, name), join(site.files, 'debian-12', name));
      await registerFile(site.database.db, { folder: site.files, path: `debian-12/${name}` });
    }
  }, 600_000);
  afterAll(async () => site.close(), 300_000);

  test('is loaded, takes its preseed, and calls back before it touches a disk', LONG, async () => {
    const machine = await site.machine({ name: 'debian', number: 70, memory: 1024, cpus: 2 });
    markDisk(machine.disks[0] ?? '');
    await site.bmc(machine);
    await site.powerOn(machine);
    await discovered(site, machine);
    const began = performance.now();
    await site.install({
      machine,
      deployment: 'debian',
      data: { os: 'debian-12', hostname: 'deb1.lab.test', mirror: `${site.bootUrl}/debian` },
    });
    await explained(
      machine,
      eventually(
        async () =>
          (await recorded(site, machine, 'console')).some((text) =>
            text.includes('installer-started'),
          ),
        { limitSeconds: 1200, what: 'the early callback' },
      ),
    );
    process.stderr.write(
      `commit to early callback: ${((performance.now() - began) / 1000).toFixed(0)} s\n`,
    );
    // the callback is a line of the preseed, with a token of this one installation in it
    expect(await site.phase(machine)).toBe('installing');
    await machine.cut();
    expect(isMarked(machine.disks[0] ?? '')).toBe(true);
  });
});
