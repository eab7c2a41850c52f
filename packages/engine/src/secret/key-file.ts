/** The master key lives in a file that only Hostwright may read; made once, never overwritten. */
import { randomBytes } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import { HostwrightError } from '@hostwright/core';
import { masterKey, type MasterKey } from './seal.ts';

export const createKeyFile = async (path: string): Promise<MasterKey> => {
  const bytes = randomBytes(32);
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(`${bytes.toString('base64')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return masterKey(bytes);
};

export const readKeyFile = async (path: string): Promise<MasterKey> => {
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0)
    throw new HostwrightError('forbidden', {
      message: `the master key ${path} must be readable by its owner only (chmod 600)`,
    });
  return masterKey(Buffer.from((await readFile(path, 'utf8')).trim(), 'base64'));
};
