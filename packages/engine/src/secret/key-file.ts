/** The master key lives in a file that only Hostwright may read. */
import { readFile, stat } from 'node:fs/promises';
import { HostwrightError } from '@hostwright/core';
import { masterKey, type MasterKey } from './seal.ts';

export const readKeyFile = async (path: string): Promise<MasterKey> => {
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0)
    throw new HostwrightError('forbidden', {
      message: `the master key ${path} must be readable by its owner only (chmod 600)`,
    });
  return masterKey(Buffer.from((await readFile(path, 'utf8')).trim(), 'base64'));
};
