import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { masterKey, type MasterKey } from '@hostwright/engine';
import { openMasterKey } from '@hostwright/server';
import { Failure } from './failure.ts';

/** Servers and workers on several machines share the key by HOSTWRIGHT_MASTER_KEY (32 bytes, base64). */
export const readMasterKey = async (folder: string): Promise<MasterKey> => {
  const given = process.env['HOSTWRIGHT_MASTER_KEY'];
  if (given !== undefined && given !== '') return readGivenKey('HOSTWRIGHT_MASTER_KEY', given);
  if (existsSync(nextKeyFile(folder)))
    throw new Failure('surroundings', 'a change of the master key was interrupted', {
      advice: 'finish it with `hostwright secret rotate-key`',
    });
  return openMasterKey(folder);
};

/** Where the new key waits until every secret is sealed with it. */
export const nextKeyFile = (folder: string): string => join(folder, 'master.key.next');

export const readGivenKey = (name: string, text: string): MasterKey => {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32)
    throw new Failure('surroundings', `${name} does not hold 32 bytes in base64`, {
      advice: 'make one with `head -c 32 /dev/urandom | base64`',
    });
  return masterKey(key);
};
