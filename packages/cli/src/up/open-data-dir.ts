import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../failure.ts';

/** Level by level: `recursive` of mkdir never returns under /proc, where making a folder is "not found". */
const makeFolder = (folder: string, mode: number): void => {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), 0o755);
  mkdirSync(folder, { mode });
};

/** Makes the folder if it is missing. Open to pass through: PostgreSQL may run as another user. */
export const openDataDir = (folder: string): void => {
  try {
    makeFolder(folder, 0o711);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Failure('surroundings', `the data folder ${folder} cannot be made or written to`, {
      advice: 'choose another with --data-dir, or run this as its owner',
      cause: error,
    });
  }
};
