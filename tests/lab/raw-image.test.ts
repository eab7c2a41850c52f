/** A whole disk as an image: written, resumed when the connection breaks, started by its own loader. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { registerFile } from '@hostwright/boot';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInstallSite, type InstallSite } from './install-site.ts';
import { discovered, explained, LONG, longLab, recorded, settled } from './look.ts';

const IMAGE = 'images/mini.raw.zst';

describe.skipIf(!longLab())('a raw image', () => {
  let site: InstallSite;
  beforeAll(async () => {
    site = await createInstallSite();
    const script = fileURLToPath(new URL('make-raw.sh', import.meta.url));
    const tar = join(site.files, 'images/default.tar.gz');
    execFileSync('nice', ['-n', '10', script, tar, join(site.files, IMAGE)], { stdio: 'pipe' });
    await registerFile(site.database.db, { folder: site.files, path: IMAGE });
  }, 600_000);
  afterAll(async () => site.close(), 300_000);

  test('is written although the connection breaks, and starts by itself', LONG, async () => {
    const machine = await site.machine({ name: 'raw', number: 63, memory: 768 });
    await site.bmc(machine);
    await site.powerOn(machine);
    await discovered(site, machine);
    const { noderoleId } = await site.install({
      machine,
      deployment: 'raw',
      roles: ['lab-proof'],
      data: { image: IMAGE },
    });
    await explained(
      machine,
      eventually(() => /writing images\/mini\.raw\.zst/.test(machine.console()), {
        limitSeconds: 900,
        what: 'the disk is being written',
      }),
    );
    // whoever reads from the server now is cut off, until the image has been: it is taken up again
    const broke = async () =>
      (await recorded(site, machine, 'console')).some((line) => line.includes('taken up again'));
    const cutting = setInterval(() => {
      broke().then(
        (yes) => (yes ? clearInterval(cutting) : site.cutConnections()),
        () => undefined,
      );
    }, 500);
    const ended = await settled(site, machine, noderoleId).finally(() => clearInterval(cutting));
    expect(ended).toEqual({ state: 'active', reason: '' });
    const proof = await eventually(
      () =>
        site.database.db
          .selectFrom('noderole')
          .innerJoin('role', 'role.id', 'noderole.role_id')
          .select(['state', 'wall'])
          .where('role.name', '=', 'lab-proof')
          .where('state', 'in', ['active', 'error'])
          .executeTakeFirst(),
      { limitSeconds: 600, what: 'the script role' },
    );
    expect(proof).toMatchObject({ state: 'active', wall: { lab: { os: 'mini' } } });
    const node = await site.nodeOf(machine);
    expect(machine.console()).toContain(`mini: ${node?.name} is up`);
    expect(await broke()).toBe(true);
    await machine.cut();
  });
});
