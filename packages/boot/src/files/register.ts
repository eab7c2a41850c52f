/** Registers what lies in a folder, so that it can be served: every file named in its SHA256SUMS, or one by one. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import type { Db } from '@hostwright/engine';
import { isFilePath } from '../valid.ts';
import { hashFile } from './serve.ts';
import { PUBLIC_KEY, SIGNATURE, SUMS } from './sign-folder.ts';
import { verifyText, type SigningKey } from './sign.ts';

export const registerFile = async (
  db: Db,
  options: { readonly folder: string; readonly path: string; readonly sha256?: string },
): Promise<void> => {
  if (!isFilePath(options.path))
    throw new HostwrightError('bad_input', {
      message: `${options.path} is no path for a boot file`,
    });
  const path = join(options.folder, options.path);
  const sha256 = await hashFile(path);
  if (options.sha256 !== undefined && options.sha256 !== sha256) {
    throw new HostwrightError('conflict', {
      message: `${options.path} has checksum ${sha256}, not ${options.sha256}`,
    });
  }
  const { size } = await stat(path);
  await db
    .insertInto('boot_file')
    .values({ path: options.path, sha256, size })
    .onConflict((conflict) =>
      conflict.column('path').doUpdateSet({ sha256, size, updated_at: new Date() }),
    )
    .execute();
};

/**
 * With a key, the checksums must carry its signature: what somebody without the key has put there is
 * not served. The checksums and their signature are served too, for whoever keeps a copy.
 */
export const registerFolder = async (
  db: Db,
  options: { readonly folder: string; readonly name: string; readonly key?: SigningKey },
): Promise<readonly string[]> => {
  const place = join(options.folder, options.name);
  const sums = await readFile(join(place, SUMS), 'utf8');
  if (options.key !== undefined) {
    const signature = await readFile(join(place, SIGNATURE), 'utf8').catch(() => '');
    if (!verifyText(options.key.publicText, sums, signature))
      throw new HostwrightError('conflict', {
        message: `${options.name}/${SUMS} is not signed by this installation; remove the folder, so that it is made anew`,
      });
  }
  const listed = sums.split('\n').flatMap((line) => {
    const [, sha256, file] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? [];
    return sha256 === undefined || file === undefined ? [] : [{ sha256, file }];
  });
  for (const { sha256, file } of listed)
    await registerFile(db, { folder: options.folder, path: `${options.name}/${file}`, sha256 });
  if (options.key !== undefined)
    for (const file of [SUMS, SIGNATURE, PUBLIC_KEY])
      await registerFile(db, { folder: options.folder, path: `${options.name}/${file}` });
  return listed.map(({ file }) => `${options.name}/${file}`);
};
