/**
 * A DHCP or DNS daemon that a server role runs. It outlives the worker: DHCP must go on answering
 * while Hostwright is restarted or switched off. It is found again by a file that says how it was
 * started, and believed only if the process has that very command line.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { hasSystemd, readUnitPid } from './systemd.ts';

export interface Daemon {
  /** Also the end of its unit's name: hostwright-NAME. */
  readonly name: string;
  readonly folder: string;
  /** Program and arguments, in the foreground. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A command that enters a network namespace, for labs: ['ip', 'netns', 'exec', 'lab']. */
  readonly within?: readonly string[];
}

interface Known {
  readonly daemon: Daemon;
  readonly pid: number;
}

const fileOf = ({ folder, name }: Pick<Daemon, 'folder' | 'name'>): string =>
  join(folder, `${name}.daemon`);

export const rememberDaemon = (daemon: Daemon, pid: number): Promise<void> =>
  writeFile(fileOf(daemon), JSON.stringify({ daemon, pid }), { mode: 0o600 });

export const forgetDaemon = (daemon: Pick<Daemon, 'folder' | 'name'>): Promise<void> =>
  rm(fileOf(daemon), { force: true });

const readKnown = async (path: string): Promise<Known | null> => {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return null;
  // written by rememberDaemon alone, in a folder that only we can write
  return JSON.parse(text) as Known;
};

/** systemd starts it again with another number. */
const presentPid = async ({ daemon, pid }: Known): Promise<number> =>
  hasSystemd() && (daemon.within ?? []).length === 0 ? readUnitPid(daemon) : pid;

const isItself = async (known: Known): Promise<number | null> => {
  const { daemon } = known;
  const pid = await presentPid(known);
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  const same =
    basename(words[0] ?? '') === basename(daemon.command[0] ?? '') &&
    daemon.command.slice(1).every((word, index) => words[index + 1] === word);
  return same ? pid : null;
};

const EXITING = 0x4;

/** It has lost its memory, and with it its command line, but not yet its sockets. */
export const isEnding = async (daemon: Pick<Daemon, 'folder' | 'name'>): Promise<boolean> => {
  const known = await readKnown(fileOf(daemon));
  if (known === null) return false;
  const about = await readFile(`/proc/${known.pid}/stat`, 'utf8').catch(() => '');
  // after its name, which may hold anything: state, five numbers, flags
  const [state = '', , , , , , flags = '0'] = about.slice(about.lastIndexOf(')') + 2).split(' ');
  if (about === '' || (Number(flags) & EXITING) === 0) return false;
  const threads = await readdir(`/proc/${known.pid}/task`).catch(() => []);
  return !'ZX'.includes(state) || threads.length > 1;
};

export const findDaemon = async (
  daemon: Pick<Daemon, 'folder' | 'name'>,
): Promise<number | null> => {
  const known = await readKnown(fileOf(daemon));
  return known === null ? null : isItself(known);
};

/** The daemons that were started from this folder and should run: those that do not. */
export const findDead = async (folder: string): Promise<readonly string[]> => {
  const files = await readdir(folder).catch(() => []);
  const dead: string[] = [];
  for (const file of files.filter((name) => name.endsWith('.daemon')).toSorted()) {
    const known = await readKnown(join(folder, file));
    if (known !== null && (await isItself(known)) === null) dead.push(known.daemon.name);
  }
  return dead;
};
