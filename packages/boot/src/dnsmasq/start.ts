/**
 * Runs dnsmasq for the role `dhcp-server`. It is its own session and outlives the worker: DHCP must
 * go on answering while Hostwright is restarted or switched off. Found again by its pid file.
 */
import { spawn } from 'node:child_process';
import { copyFile, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostwrightError } from '@hostwright/core';
import { prepareDnsmasqFolder } from './driver.ts';
import { findDnsmasq } from './find.ts';
import { GRUB_START, LOADERS } from '../tftp/loaders.ts';
import { renderDnsmasqConfig, type DnsmasqConfig } from './render.ts';

const writeLoaders = async (config: DnsmasqConfig): Promise<readonly string[]> => {
  const missing: string[] = [];
  for (const [name, source] of LOADERS) {
    await copyFile(source, join(config.folder, 'tftp', name)).catch(() => missing.push(name));
  }
  await writeFile(join(config.folder, 'tftp/grub/grub.cfg'), GRUB_START);
  return missing;
};

export interface StartedDnsmasq {
  readonly pid: number;
  readonly started: boolean;
  /** Loaders that this machine lacks: the firmware that needs them cannot boot. */
  readonly missingLoaders: readonly string[];
}

/** `within` = a command that enters a network namespace, for labs: ['ip', 'netns', 'exec', 'lab']. */
export const startDnsmasq = async (
  config: DnsmasqConfig,
  within: readonly string[] = [],
): Promise<StartedDnsmasq> => {
  await prepareDnsmasqFolder(config.folder);
  const missingLoaders = await writeLoaders(config);
  const path = join(config.folder, 'dnsmasq.conf');
  const text = renderDnsmasqConfig(config);
  const running = await findDnsmasq(config.folder);
  const unchanged = (await readFile(path, 'utf8').catch(() => '')) === text;
  if (running !== null && unchanged) return { pid: running, started: false, missingLoaders };
  if (running !== null) await stopDnsmasq(config.folder);
  await writeFile(path, text);
  const errors = join(config.folder, 'dnsmasq.err');
  const sink = await open(errors, 'w');
  const command = [...within, 'dnsmasq', '--keep-in-foreground', `--conf-file=${path}`];
  // a file, not a pipe: the daemon outlives the reader
  const child = spawn(command[0] ?? '', command.slice(1), {
    detached: true,
    stdio: ['ignore', sink.fd, sink.fd],
  });
  await sink.close();
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('exit', (code) => resolve(code ?? 1));
  });
  child.unref();
  for (let tries = 0; tries < 500; tries++) {
    const pid = await findDnsmasq(config.folder);
    if (pid !== null) return { pid, started: true, missingLoaders };
    const code = await Promise.race([ended, sleep(10, null)]);
    if (code !== null) break;
  }
  const complaint = await readFile(errors, 'utf8').catch(() => '');
  throw new HostwrightError('unavailable', {
    message: `dnsmasq did not start: ${complaint.trim().slice(0, 300)}`,
  });
};

export const stopDnsmasq = async (folder: string): Promise<void> => {
  const pid = await findDnsmasq(folder);
  if (pid === null) return;
  process.kill(pid, 'SIGTERM');
  for (let tries = 0; tries < 500 && (await findDnsmasq(folder)) !== null; tries++) await sleep(10);
};
