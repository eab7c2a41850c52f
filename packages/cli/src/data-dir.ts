/** Where a Hostwright that runs on this machine keeps everything. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export const defaultDataDir = (): string => {
  const given = process.env['HOSTWRIGHT_DATA_DIR'];
  if (given !== undefined && given !== '') return resolve(given);
  if (process.getuid?.() === 0) return '/var/lib/hostwright';
  const xdg = process.env['XDG_DATA_HOME'];
  // the specification says to ignore a relative path
  const base = xdg?.startsWith('/') ? xdg : join(homedir(), '.local/share');
  return join(base, 'hostwright');
};

export const dataDir = (given: string | undefined): string =>
  given === undefined ? defaultDataDir() : resolve(given);
