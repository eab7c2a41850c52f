/** A very small operating system to install in a lab, made of what Debian's packages put on this machine. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What the installed system can start from besides a plain disk and BIOS. */
export type MiniPart = 'efi' | 'signed' | 'lvm' | 'raid';

const run = promisify(execFile);

export const buildMini = async (file: string, parts: readonly MiniPart[] = []): Promise<void> => {
  const script = fileURLToPath(new URL('mini/build.sh', import.meta.url));
  await run('nice', ['-n', '10', script, file, ...parts], { timeout: 300_000 });
};
