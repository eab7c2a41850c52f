/**
 * Runs named for the role `dns-server`: zones that take updates signed with a key that is made here
 * and never leaves this machine. A zone's file is written once; from then on it is named's.
 */
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import { replaceChecked } from '../daemon/check.ts';
import { findDaemon, type Daemon } from '../daemon/daemon.ts';
import { findHolders, sayHolders } from '../daemon/port.ts';
import { startDaemon } from '../daemon/start.ts';
import { stopDaemon } from '../daemon/stop.ts';
import {
  checkNamedConfig,
  renderNamedConfig,
  renderZone,
  zoneFile,
  type NamedConfig,
} from './render.ts';
import type { TsigKey } from './tsig.ts';

const KEY_FILE = 'tsig.json';

/** These files are written once: half of one, after a full disk or a kill, would stay for ever. */
const writeWhole = async (path: string, text: string, mode: number): Promise<void> => {
  await writeFile(`${path}.new`, text, { mode });
  await rename(`${path}.new`, path);
};

/** Made once; kept in a file that only we and named can read. */
export const ensureKey = async (folder: string): Promise<TsigKey> => {
  await mkdir(folder, { recursive: true });
  const path = join(folder, KEY_FILE);
  const made: TsigKey = {
    name: 'hostwright',
    algorithm: 'hmac-sha256',
    secret: randomBytes(32).toString('base64'),
  };
  const text = await readFile(path, 'utf8').catch(() => null);
  // written here alone
  if (text !== null) return JSON.parse(text) as TsigKey;
  await writeWhole(path, JSON.stringify(made), 0o600);
  return made;
};

/** Debian's named runs as `bind`, and where AppArmor is on it may write below /var/lib/bind only. */
const findUser = async (): Promise<{ readonly uid: number; readonly gid: number } | null> => {
  if (process.getuid?.() !== 0) return null;
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((one) => one.startsWith('bind:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) };
};

const writeZones = async (
  config: NamedConfig,
  owner: { uid: number; gid: number } | null,
): Promise<void> => {
  for (const zone of config.zones) {
    const path = join(config.folder, zoneFile(zone));
    if ((await stat(path).catch(() => null)) === null)
      await writeWhole(path, renderZone(zone, config.nameServer), 0o644);
    if (owner !== null) await chown(path, owner.uid, owner.gid);
  }
};

export const startNamed = async (
  config: NamedConfig,
  within: readonly string[] = [],
): Promise<{ readonly pid: number; readonly started: boolean }> => {
  checkNamedConfig(config);
  const { folder } = config;
  const owner = await findUser();
  await mkdir(folder, { recursive: true });
  await writeZones(config, owner);
  const path = join(folder, 'named.conf');
  const change = await replaceChecked({
    name: 'named-checkconf',
    path,
    text: renderNamedConfig(config),
    checker: (draft) => ['named-checkconf', '-z', draft],
  });
  if (owner !== null) {
    await chown(folder, owner.uid, owner.gid);
    await chown(path, owner.uid, owner.gid);
    await chmod(folder, 0o700);
  }
  const running = await findDaemon({ folder, name: 'named' });
  if (running !== null && change === 'same') return { pid: running, started: false };
  await stopDaemon({ folder, name: 'named' });
  const ports = (['udp', 'tcp'] as const).map((protocol) => ({
    port: config.port,
    protocol,
    on: config.listen,
  }));
  const held = await findHolders(ports, { within });
  if (held.length > 0)
    throw new HostwrightError('conflict', {
      message: `named is not started: ${sayHolders(held)}; stop that program, or choose another address (dns/listen) or port (dns/port)`,
    });
  const daemon: Daemon = {
    name: 'named',
    folder,
    command: ['named', '-f', '-c', path, ...(owner === null ? [] : ['-u', 'bind'])],
    within,
  };
  const pid = await startDaemon(daemon, {
    ready: async () => (await findHolders(ports, { within })).some((one) => one.protocol === 'tcp'),
    logs: [join(folder, 'named.log')],
  });
  return { pid, started: true };
};

export const stopNamed = (folder: string): Promise<void> => stopDaemon({ folder, name: 'named' });
