/**
 * What a server role leaves for the database role that feeds its daemon: how to reach it. In a file
 * beside the daemon's own, because some of it is secret and none of it is of use on another machine.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import { runCommand } from '@hostwright/providers';
import pg from 'pg';
import { bindDriver } from '../bind/driver.ts';
import type { TsigKey } from '../bind/tsig.ts';
import { dnsmasqDriver } from '../dnsmasq/driver.ts';
import { LAYOUT } from '../dnsmasq/shard.ts';
import { keaDriver } from '../kea/driver.ts';
import type { BootServerDriver } from './feed-server.ts';

export type ServerFile =
  | {
      readonly kind: 'dnsmasq';
      readonly dnsPort: number;
      readonly within: readonly string[];
      /** Where the daemon looks for what it is fed. */
      readonly layout: string;
    }
  | {
      readonly kind: 'kea';
      readonly databaseUrl: string;
      readonly subnets: readonly { readonly id: number; readonly subnet: string }[];
    }
  | {
      readonly kind: 'bind';
      readonly server: string;
      readonly port: number;
      readonly zones: readonly string[];
      readonly key: TsigKey;
    };

const NAME = 'server.json';

export const writeServerFile = async (folder: string, file: ServerFile): Promise<void> => {
  const path = join(folder, NAME);
  await writeFile(`${path}.new`, JSON.stringify(file), { mode: 0o600 });
  await rename(`${path}.new`, path);
};

const readServerFile = async (folder: string): Promise<ServerFile> => {
  const text = await readFile(join(folder, NAME), 'utf8').catch((cause: unknown) => {
    throw new HostwrightError('unavailable', {
      message: `nothing in ${folder} says how the server is reached; its server role must run first`,
      cause,
    });
  });
  // written by writeServerFile alone
  return JSON.parse(text) as ServerFile;
};

const isLaidOut = (file: ServerFile): boolean => file.kind !== 'dnsmasq' || file.layout === LAYOUT;

/** The daemon was started by another version of this program, and looks for its data elsewhere. */
export const isOfAnotherVersion = async (folder: string): Promise<boolean> =>
  readServerFile(folder).then(
    (file) => !isLaidOut(file),
    // not there yet: its server role is still at work
    () => false,
  );

/** Asks from inside the daemon's network namespace. */
const digWithin =
  (within: readonly string[], port: number) =>
  async (name: string): Promise<readonly string[]> => {
    const question = [
      '+short',
      '+time=1',
      '+tries=1',
      '-p',
      String(port),
      '@127.0.0.1',
      name,
      'AAAA',
    ];
    return (await runCommand([...within, 'dig', ...question])).trim().split('\n');
  };

export interface OpenedDriver {
  readonly driver: BootServerDriver;
  close(): Promise<void>;
}

export const openDriver = async (folder: string): Promise<OpenedDriver> => {
  const file = await readServerFile(folder);
  if (!isLaidOut(file))
    throw new HostwrightError('unavailable', {
      message: 'it was started by another version of Hostwright; its server role must run first',
    });
  const nothing = async (): Promise<void> => {};
  if (file.kind === 'dnsmasq') {
    const lookUp = file.within.length > 0 ? { lookUp: digWithin(file.within, file.dnsPort) } : {};
    return { driver: dnsmasqDriver({ folder, dnsPort: file.dnsPort, ...lookUp }), close: nothing };
  }
  if (file.kind === 'bind')
    return { driver: bindDriver({ folder: join(folder, 'feed'), ...file }), close: nothing };
  const pool = new pg.Pool({ connectionString: file.databaseUrl, max: 1 });
  pool.on('error', () => {});
  const controlSocket = join(folder, 'control');
  return {
    driver: keaDriver({ pool, controlSocket, subnets: file.subnets }),
    close: () => pool.end(),
  };
};
