/** New lines of a log since the last look, remembered in a file beside it; and logs kept small. */
import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findDaemon } from '../daemon/daemon.ts';

const MOST_A_LOOK = 1 << 20;
const LARGEST_LOG = 20 << 20;

export interface NewLines {
  readonly lines: readonly string[];
  readonly size: number;
  /** They have been dealt with. */
  acknowledge(): Promise<void>;
}

/** The place is kept with the file's number: another file under the same name begins at its start. */
export const tailLog = async (path: string): Promise<NewLines> => {
  const nothing = { lines: [], size: 0, acknowledge: async () => {} };
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return nothing;
  try {
    const { ino, size } = await file.stat();
    const [seen, place] = (await readFile(`${path}.read`, 'utf8').catch(() => '')).split(' ');
    const from = seen === String(ino) && Number(place) <= size ? Number(place) : 0;
    if (from === size) return { ...nothing, size };
    // after a flood the newest lines are worth more than all of them
    const start = Math.max(from, size - MOST_A_LOOK);
    const buffer = Buffer.alloc(size - start);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    const end = buffer.lastIndexOf(10, bytesRead - 1) + 1;
    return {
      lines: buffer
        .toString('utf8', 0, end)
        .split('\n')
        .slice(start > from ? 1 : 0),
      size,
      acknowledge: () => writeFile(`${path}.read`, `${ino} ${start + end}`),
    };
  } finally {
    await file.close();
  }
};

/** dnsmasq opens its log anew at SIGUSR2; Kea turns its own over. */
export const rotateLog = async (options: {
  readonly folder: string;
  readonly file: string;
  readonly daemon: string;
  readonly size: number;
}): Promise<void> => {
  if (options.size < LARGEST_LOG) return;
  const path = join(options.folder, options.file);
  await rename(path, `${path}.1`);
  const pid = await findDaemon({ folder: options.folder, name: options.daemon });
  if (pid !== null) process.kill(pid, 'SIGUSR2');
};
