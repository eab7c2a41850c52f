import { accessSync, constants, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../failure.ts';

/** Makes the folder if it is missing. Open to pass through: PostgreSQL may run as another user. */
export const openDataDir = (folder: string): void => {
  const advice = 'choose another with --data-dir, or run this as its owner';
  try {
    mkdirSync(dirname(folder), { recursive: true });
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Failure('surroundings', `the data folder ${folder} is not writable`, {
      advice,
      cause: error,
    });
  }
};
