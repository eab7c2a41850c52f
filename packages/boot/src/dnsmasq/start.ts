/**
 * Runs dnsmasq for the role `dhcp-server`: configuration checked by dnsmasq itself, ports looked at,
 * then started. One that runs with the same configuration is left alone.
 */
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import { replaceChecked } from '../daemon/check.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { addressesOf, findHolders, sayHolders } from '../daemon/port.ts';
import { startDaemon } from '../daemon/start.ts';
import { stopDaemon } from '../daemon/stop.ts';
import { GRUB_START, LOADERS } from '../tftp/loaders.ts';
import { prepareDnsmasqFolder } from './driver.ts';
import { findDnsmasq } from './find.ts';
import { renderDnsmasqConfig, type DnsmasqConfig } from './render.ts';

export const writeLoaders = async (folder: string): Promise<readonly string[]> => {
  const missing: string[] = [];
  for (const [name, source] of LOADERS)
    await copyFile(source, join(folder, 'tftp', name)).catch(() => missing.push(name));
  await writeFile(join(folder, 'tftp/grub/grub.cfg'), GRUB_START);
  return missing;
};

export interface StartedDnsmasq {
  readonly pid: number;
  readonly started: boolean;
  /** Loaders that this machine lacks: the firmware that needs them cannot boot. */
  readonly missingLoaders: readonly string[];
}

export const checkDnsmasq = (path: string): readonly string[] => [
  'dnsmasq',
  '--test',
  `--conf-file=${path}`,
];

const refuseTakenPorts = async (
  config: DnsmasqConfig,
  within: readonly string[],
): Promise<void> => {
  const on = await addressesOf(config.interfaces, within);
  const held = await findHolders(
    [
      { port: 67, protocol: 'udp', on },
      ...(config.secureBoot === true ? [] : [{ port: 69, protocol: 'udp' as const, on }]),
      { port: config.dnsPort, protocol: 'udp', on: [...on, '127.0.0.1'] },
    ],
    { within },
  );
  if (held.length > 0)
    throw new HostwrightError('conflict', {
      message: `dnsmasq is not started: ${sayHolders(held)}; stop that program, or choose other interfaces (dhcp/interfaces) or another DNS port (dhcp/dns_port)`,
    });
};

/** `within` = a command that enters a network namespace, for labs: ['ip', 'netns', 'exec', 'lab']. */
export const startDnsmasq = async (
  config: DnsmasqConfig,
  within: readonly string[] = [],
): Promise<StartedDnsmasq> => {
  const { folder } = config;
  await prepareDnsmasqFolder(folder);
  const missingLoaders = await writeLoaders(folder);
  const path = join(folder, 'dnsmasq.conf');
  const change = await replaceChecked({
    name: 'dnsmasq',
    path,
    text: renderDnsmasqConfig(config),
    checker: checkDnsmasq,
  });
  const running = await findDnsmasq(folder);
  if (running !== null && change === 'same')
    return { pid: running, started: false, missingLoaders };
  await stopDnsmasq(folder);
  await refuseTakenPorts(config, within);
  const daemon: Daemon = {
    name: 'dnsmasq',
    folder,
    command: ['dnsmasq', '--keep-in-foreground', `--conf-file=${path}`],
    within,
  };
  const dns = { port: config.dnsPort, protocol: 'udp' as const, on: ['127.0.0.1'] };
  const pid = await startDaemon(daemon, {
    ready: async () => (await findHolders([dns], { within })).length > 0,
    logs: [join(folder, 'dnsmasq.log')],
  });
  return { pid, started: true, missingLoaders };
};

export const stopDnsmasq = (folder: string): Promise<void> =>
  stopDaemon({ folder, name: 'dnsmasq' });
