/** New lines of a log since the last look, remembered in a file beside it; and logs kept small. */
import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findDaemon } from '../daemon/daemon.ts';

const MOST_A_LOOK = 1 << 20;
const LARGEST_LOG = 20 << 20;

interface NewLine {
  readonly text: string;
  /** Where the next one begins. */
  readonly end: number;
}

export interface NewLines {
  readonly lines: readonly NewLine[];
  /** Behind the last of them. */
  readonly end: number;
  readonly size: number;
  /** All before `end` has been dealt with: the next look begins there. */
  acknowledge(end: number): Promise<void>;
}

const splitLines = (bytes: Buffer, start: number): readonly NewLine[] => {
  const lines: NewLine[] = [];
  let at = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, at)) {
    lines.push({ text: bytes.toString('utf8', at, end), end: start + end + 1 });
    at = end + 1;
  }
  return lines;
};

/** Replaced whole: a place that was cut off would be read as none, and all lines as new ones. */
const keepPlace = async (path: string, place: string): Promise<void> => {
  await writeFile(`${path}.new`, place);
  await rename(`${path}.new`, path);
};

/** The place is kept with the file's number: another file under the same name begins at its start. */
export const tailLog = async (path: string): Promise<NewLines> => {
  const nothing = { lines: [], end: 0, size: 0, acknowledge: async () => {} };
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
    const lines = splitLines(buffer.subarray(0, bytesRead), start);
    return {
      lines: lines.slice(start > from ? 1 : 0),
      end: lines.at(-1)?.end ?? start,
      size,
      acknowledge: (end) => keepPlace(`${path}.read`, `${ino} ${end}`),
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
