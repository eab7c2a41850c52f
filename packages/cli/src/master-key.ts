import { masterKey, type MasterKey } from '@hostwright/engine';
import { openMasterKey } from '@hostwright/server';
import { Failure } from './failure.ts';

/** Servers and workers on several machines share the key by HOSTWRIGHT_MASTER_KEY (32 bytes, base64). */
export const readMasterKey = async (folder: string): Promise<MasterKey> => {
  const given = process.env['HOSTWRIGHT_MASTER_KEY'];
  if (given === undefined || given === '') return openMasterKey(folder);
  const key = Buffer.from(given, 'base64');
  if (key.length !== 32)
    throw new Failure('surroundings', 'HOSTWRIGHT_MASTER_KEY does not hold 32 bytes in base64', {
      advice: 'make one with `head -c 32 /dev/urandom | base64`',
    });
  return masterKey(key);
};
