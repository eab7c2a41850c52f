/**
 * The key that seals secrets: one file in the data folder. Every process of one installation must
 * have the same one; losing it loses every secret.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readKeyFile, type MasterKey } from '@hostwright/engine';
import { writePrivate } from './tls/own-ca.ts';

/** Made on the first start, whole or not at all: server and worker may start at once. */
export const openMasterKey = async (dataDir: string): Promise<MasterKey> => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'master.key');
  // does nothing if the file is there
  writePrivate(path, `${randomBytes(32).toString('base64')}\n`, { replace: false });
  return readKeyFile(path);
};
