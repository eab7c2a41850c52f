/**
 * Runs Kea for the role `dhcp-server-kea`, and a dnsmasq beside it that hands out loaders by TFTP and
 * does nothing else. The configuration holds the password of the host database: readable by us only.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import { replaceChecked } from '../daemon/check.ts';
import { findDaemon, type Daemon } from '../daemon/daemon.ts';
import { addressesOf, findHolders, sayHolders } from '../daemon/port.ts';
import { startDaemon } from '../daemon/start.ts';
import { stopDaemon } from '../daemon/stop.ts';
import { renderTftpConfig } from '../dnsmasq/render.ts';
import { checkDnsmasq, writeLoaders } from '../dnsmasq/start.ts';
import { askKea } from './control.ts';
import { renderKeaConfig, type KeaConfig } from './render.ts';

const startKeaItself = async (config: KeaConfig, within: readonly string[]): Promise<number> => {
  const { folder } = config;
  const env = { KEA_PIDFILE_DIR: folder, KEA_LOCKFILE_DIR: folder };
  const path = join(folder, 'kea.json');
  const change = await replaceChecked({
    name: 'kea-dhcp4',
    path,
    text: renderKeaConfig(config),
    checker: (draft) => [
      'env',
      ...Object.entries(env).map(([key, value]) => `${key}=${value}`),
      ...within,
      'kea-dhcp4',
      '-t',
      draft,
    ],
  });
  const running = await findDaemon({ folder, name: 'kea' });
  if (running !== null && change === 'same') return running;
  await stopDaemon({ folder, name: 'kea' });
  const on = await addressesOf(config.interfaces, within);
  const held = await findHolders([{ port: 67, protocol: 'udp', on }], { within });
  if (held.length > 0)
    throw new HostwrightError('conflict', {
      message: `Kea is not started: ${sayHolders(held)}; stop that program, or choose other interfaces (dhcp_kea/interfaces)`,
    });
  const daemon: Daemon = { name: 'kea', folder, command: ['kea-dhcp4', '-c', path], env, within };
  return startDaemon(daemon, {
    ready: async () =>
      askKea(join(folder, 'control'), 'status-get').then(
        () => true,
        () => false,
      ),
    logs: [join(folder, 'kea.log')],
  });
};

const startTftp = async (config: KeaConfig, within: readonly string[]): Promise<void> => {
  const { folder, interfaces } = config;
  const path = join(folder, 'tftp.conf');
  const change = await replaceChecked({
    name: 'dnsmasq',
    path,
    text: renderTftpConfig({ folder, interfaces }),
    checker: checkDnsmasq,
  });
  if ((await findDaemon({ folder, name: 'tftp' })) !== null && change === 'same') return;
  await stopDaemon({ folder, name: 'tftp' });
  const on = await addressesOf(interfaces, within);
  const tftp = { port: 69, protocol: 'udp' as const, on };
  // whoever serves TFTP there already serves the loaders too: Hostwright's own, or dnsmasq
  if ((await findHolders([tftp], { within })).length > 0) return;
  await startDaemon(
    {
      name: 'tftp',
      folder,
      command: ['dnsmasq', '--keep-in-foreground', `--conf-file=${path}`],
      within,
    },
    {
      ready: async () => (await findHolders([tftp], { within })).length > 0,
      logs: [join(folder, 'tftp.log')],
    },
  );
};

export const startKea = async (
  config: KeaConfig,
  within: readonly string[] = [],
): Promise<{ readonly pid: number; readonly missingLoaders: readonly string[] }> => {
  await mkdir(join(config.folder, 'tftp/grub'), { recursive: true });
  const missingLoaders = await writeLoaders(config.folder);
  const pid = await startKeaItself(config, within);
  await startTftp(config, within);
  return { pid, missingLoaders };
};

export const stopKea = async (folder: string): Promise<void> => {
  await stopDaemon({ folder, name: 'kea' });
  await stopDaemon({ folder, name: 'tftp' });
};
