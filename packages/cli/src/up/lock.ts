/**
 * One Hostwright per data folder. The lock is a file with the process id in it; one that was left
 * behind by a process that is gone is taken over.
 */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processIsAlive } from '@hostwright/postgres';
import { Failure } from '../failure.ts';

const startTime = (pid: number): string | undefined => {
  try {
    // field 22, counted after the name, which may itself hold spaces and parentheses
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
};

/** The pid alone does not do: after a reboot it may be somebody else's. */
const holderOf = (file: string): number | undefined => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const [pidText = '', since = ''] = text.trim().split(' ');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0 || !processIsAlive(pid)) return undefined;
  const now = startTime(pid);
  return now === undefined || since === '' || since === now ? pid : undefined;
};

export const takeLock = (folder: string): (() => void) => {
  const file = join(folder, 'up.lock');
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, `${process.pid} ${startTime(process.pid) ?? ''}\n`);
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        linkSync(mine, file);
        return () => rmSync(file, { force: true });
      } catch {
        const holder = holderOf(file);
        if (holder !== undefined)
          throw new Failure(
            'surroundings',
            `Hostwright already runs on ${folder} (process ${holder})`,
            { advice: 'stop that one first, or choose another folder with --data-dir' },
          );
        rmSync(file, { force: true });
      }
    }
    throw new Failure('surroundings', `the lock ${file} could not be taken`);
  } finally {
    rmSync(mine, { force: true });
  }
};
