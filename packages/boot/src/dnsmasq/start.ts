/**
 * Runs dnsmasq for the role `dhcp-server`: configuration checked by dnsmasq itself, ports looked at,
 * then started. One that runs with the same configuration is left alone.
 */
import { existsSync } from 'node:fs';
import { copyFile, rename, rm, writeFile } from 'node:fs/promises';
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

/** Beside, and then into its place: machines fetch them meanwhile, and a full disk must not cost the old one. */
const placeLoader = async (
  folder: string,
  name: string,
  write: (path: string) => Promise<void>,
): Promise<void> => {
  const draft = join(folder, 'tftp', `.${name.replaceAll('/', '-')}`);
  try {
    await write(draft);
    await rename(draft, join(folder, 'tftp', name));
  } catch (cause) {
    await rm(draft, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new HostwrightError('no_space', {
      message: `the loader ${name} could not be put in place: ${why}`,
      cause,
    });
  }
};

export const writeLoaders = async (folder: string): Promise<readonly string[]> => {
  const missing: string[] = [];
  for (const [name, source] of LOADERS) {
    if (existsSync(source)) await placeLoader(folder, name, (path) => copyFile(source, path));
    else missing.push(name);
  }
  await placeLoader(folder, 'grub/grub.cfg', (path) => writeFile(path, GRUB_START));
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
