/** A site for what people do with metal: one machine that told of its disks, and somebody who may operate it. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { node_create } from '@hostwright/api/nouns/node';
import { importOsTemplates } from '@hostwright/boot';
import { importBarclamp, reportHello, reportInventory } from '@hostwright/engine';
import { openBrowser, signIn, type Person } from './browser.ts';
import type { Site } from './site.ts';
import { useStage, type Stage } from './stage.ts';

const BARCLAMPS = fileURLToPath(new URL('../../barclamps', import.meta.url));
export const INSTALL = 'provisioner-os-install';
const DISKS = [
  { name: 'sda', serial: 'WD-0001', size_bytes: 480_103_981_056, signatures: ['ext4'] },
  { name: 'sdb', serial: 'WD-0002', size_bytes: 480_103_981_056, signatures: ['LVM2_member'] },
];

/** A machine that told of its disks; nothing here can boot it, so an installation of it fails, and stays. */
const addMachine = async ({ client, database }: Site): Promise<void> => {
  const made = await client.call(node_create, {
    body: { name: 'm1', macs: ['52:54:00:00:00:01'], bootenv: 'discovery' },
  });
  const boot = { nodeId: made.id, bootId: 'b1' };
  await reportHello(database.db, boot);
  await reportInventory(database.db, { ...boot, facts: { disks: DISKS } });
};

export interface MetalStage extends Stage {
  /** An operator, signed in. */
  readonly otto: Person;
}

/** The stage is filled in before the first test runs. */
export const useMetalStage = (
  prepare: (site: Site) => Promise<void> = async () => {},
): MetalStage => {
  let otto: Person;
  const stage = useStage({ machines: 0 }, async ({ site }) => {
    const { database } = site;
    for (const name of ['network', 'provisioner'])
      await importBarclamp(database.db, { folder: join(BARCLAMPS, name), actor: 'e2e' });
    await importOsTemplates(database.db);
    await database.db
      .insertInto('boot_file')
      .values(
        ['images/default.tar.gz', 'discovery/vmlinuz', 'discovery/initrd.img'].map((path) => ({
          path,
          sha256: 'a'.repeat(64),
          size: 1,
        })),
      )
      .execute();
    await addMachine(site);
    await prepare(site);
    otto = await openBrowser(stage);
    await signIn(otto, site, 'otto');
  });
  return {
    get site() {
      return stage.site;
    },
    get browser() {
      return stage.browser;
    },
    get otto() {
      return otto;
    },
  };
};
