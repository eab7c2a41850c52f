/** Finds the server that already runs in a folder, so that a backup can be taken beside `up`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processIsAlive } from './process-alive.ts';

export interface RunningPostgres {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
}

const isPostgres = (pid: number): boolean => {
  if (!processIsAlive(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres');
  } catch {
    // no /proc (macOS): the pid file names a living process, and that has to do
    return process.platform !== 'linux';
  }
};

export const findRunningPostgres = (home: string): RunningPostgres | undefined => {
  const pidFile = join(home, 'postgres', 'postmaster.pid');
  const passwordFile = join(home, 'postgres.password');
  if (!existsSync(pidFile) || !existsSync(passwordFile)) return undefined;
  // lines: pid, data folder, start time, port, ...
  const lines = readFileSync(pidFile, 'utf8').split('\n');
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid <= 1 || !Number.isInteger(port) || port <= 0) return undefined;
  if (!isPostgres(pid)) return undefined;
  const password = readFileSync(passwordFile, 'utf8').trim();
  return { pid, port, url: `postgres://hostwright:${password}@127.0.0.1:${port}/postgres` };
};
