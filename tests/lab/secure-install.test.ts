/** From power-on to the installed system the firmware checks every loader, and each is signed. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { registerFile } from '@hostwright/boot';
import { eventually } from '@hostwright/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createInstallSite, type InstallSite } from './install-site.ts';
import { discovered, explained, LONG, longLab, recorded, settled } from './look.ts';

const RAW = 'images/signed.raw.zst';

describe.skipIf(!longLab())('an installation under Secure Boot', () => {
  let site: InstallSite;
  beforeAll(async () => {
    site = await createInstallSite({ parts: ['signed'], secureBoot: true });
    const script = fileURLToPath(new URL('make-raw.sh', import.meta.url));
    const tar = join(site.files, 'images/default.tar.gz');
    const words = ['-n', '10', script, tar, join(site.files, RAW), 'signed'];
    execFileSync('nice', words, { stdio: 'pipe' });
    await registerFile(site.database.db, { folder: site.files, path: RAW });
  }, 600_000);
  afterEach(async () => site.cutAll());
  afterAll(async () => site.close(), 300_000);

  /** Discovered and installed, with the seconds that both took. */
  const install = async (name: string, number: number, data: Record<string, unknown>) => {
    const machine = await site.machine({ name, number, firmware: 'secure', memory: 1024 });
    await site.bmc(machine);
    const began = performance.now();
    const told = (what: string) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      process.stderr.write(`${name}: ${what} after ${seconds} s\n`);
    };
    await site.powerOn(machine);
    const node = await discovered(site, machine);
    expect(node.discovery).toMatchObject({ firmware: 'uefi', secure_boot: true });
    told('discovered');
    const { noderoleId } = await site.install({ machine, deployment: name, data });
    const ended = await settled(site, machine, noderoleId);
    told(ended.state);
    return { machine, node, ended };
  };

  test.each([
    ['files, and grub-install of its own', 'files', 41, {}],
    ['a whole disk with its own ESP', 'disk', 42, { image: RAW }],
  ])(
    'an image with signed shim, GRUB and kernel starts from the disk: %s',
    LONG,
    async (_, name, number, data) => {
      const { machine, node, ended } = await install(name, number, data);
      expect(ended).toEqual({ state: 'active', reason: '' });
      // the network came first: GRUB from there started the loader of the disk
      expect((await recorded(site, machine, 'script')).at(-1)).toContain('local: ');
      expect(machine.console()).toContain('Fetching Netboot Image grubx64.efi');
      expect(machine.console()).toContain(`mini: ${node.name} is up`);
      // a whole disk keeps the loaders it has
      const judged = (await recorded(site, machine, 'console')).some((line) =>
        line.includes('Secure Boot is on: the boot loader of the image is signed'),
      );
      expect(judged).toBe(name === 'files');
      // what the firmware tells the installed system of this boot
      const { discovery } = await explained(
        machine,
        eventually(
          () =>
            site.database.db
              .selectFrom('node')
              .select('discovery')
              .where('id', '=', node.id)
              .where('discovery', '@>', JSON.stringify({ os: { id: 'mini' } }))
              .executeTakeFirst(),
          { limitSeconds: 300, what: 'the inventory of the installed system' },
        ),
      );
      expect(discovery).toMatchObject({ firmware: 'uefi', secure_boot: true });
    },
  );
});
