/**
 * Where each installer finds its answers inside its initrd: no address with a token on the command
 * line. debian-installer and Anaconda read a file of the initrd. Ubuntu's reads none: its root is a
 * file system that casper mounts, so the answers are copied there by a hook that lies in the seed.
 */
import { readFile } from 'node:fs/promises';
import type { Tx } from '@hostwright/engine';
import type { LiveInstall } from '../install/callbacks.ts';
import { renderTemplateFile } from '../template/render-file.ts';
import type { SeedFile } from './cpio.ts';
import type { BootDeps } from './deps.ts';

const ANSWERS = {
  preseed: [['preseed.cfg', 'preseed.cfg']],
  kickstart: [['ks.cfg', 'ks.cfg']],
  autoinstall: [
    ['user-data', 'etc/hostwright/nocloud/user-data'],
    ['meta-data', 'etc/hostwright/nocloud/meta-data'],
  ],
  image: [],
  erase: [],
} as const satisfies Record<LiveInstall['plan']['kind'], readonly (readonly [string, string])[]>;

/** The hook, for initramfs-tools (22.04, 24.04) and for dracut (26.04 may use either). */
const HOOKS = [
  ['initramfs-conf', 'conf/conf.d/hostwright', 0o644],
  ['place-nocloud', 'etc/hostwright/place-nocloud', 0o755],
  ['place-nocloud', 'usr/lib/dracut/hooks/pre-pivot/90-hostwright.sh', 0o755],
] as const;

export const seedHooks = async (): Promise<readonly SeedFile[]> =>
  Promise.all(
    HOOKS.map(async ([file, path, mode]) => ({
      path,
      mode,
      content: await readFile(new URL(`../../installer-seed/${file}`, import.meta.url), 'utf8'),
    })),
  );

export const answerFiles = async (
  tx: Tx,
  options: { readonly install: LiveInstall; readonly deps: BootDeps; readonly token: string },
): Promise<readonly SeedFile[]> => {
  const { kind } = options.install.plan;
  const files: SeedFile[] = [];
  for (const [file, path] of ANSWERS[kind])
    files.push({ path, mode: 0o600, content: await renderTemplateFile(tx, { ...options, file }) });
  return kind === 'autoinstall' ? [...files, ...(await seedHooks())] : files;
};
