/**
 * A new configuration goes live only after the daemon's own checker has read it: written beside,
 * checked, and moved into its place. A complaint leaves what was there, and a daemon that runs.
 */
import { execFile } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { HostwrightError } from '@hostwright/core';
import { oneLine } from '../valid.ts';

/** What the checker says, if it refuses. */
export const askChecker = (command: readonly string[]): Promise<string | null> =>
  new Promise((resolve) => {
    execFile(command[0] ?? '', command.slice(1), { timeout: 30_000 }, (error, stdout, stderr) =>
      resolve(error === null ? null : oneLine(`${stderr} ${stdout}`.trim() || error.message, 500)),
    );
  });

export const replaceChecked = async (options: {
  /** Of the daemon, for the refusal. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
  /** The checker's command for a file at this path. */
  readonly checker: (path: string) => readonly string[];
}): Promise<'same' | 'changed'> => {
  const { path, text, checker } = options;
  if ((await readFile(path, 'utf8').catch(() => null)) === text) return 'same';
  const draft = `${path}.new`;
  await writeFile(draft, text, { mode: 0o600 });
  const complaint = await askChecker(checker(draft));
  if (complaint !== null) {
    await rm(draft, { force: true });
    throw new HostwrightError('bad_input', {
      message: `${options.name} refuses the configuration: ${complaint}`,
    });
  }
  await rename(draft, path);
  return 'changed';
};
