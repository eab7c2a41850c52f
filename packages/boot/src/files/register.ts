/** Registers what lies in a folder, so that it can be served: every file named in its SHA256SUMS, or one by one. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import type { Db } from '@hostwright/engine';
import { isFilePath } from '../valid.ts';
import { hashFile } from './serve.ts';

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

export const registerFolder = async (
  db: Db,
  options: { readonly folder: string; readonly name: string },
): Promise<readonly string[]> => {
  const sums = await readFile(join(options.folder, options.name, 'SHA256SUMS'), 'utf8');
  const paths: string[] = [];
  for (const line of sums.split('\n')) {
    const [, sha256, file] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? [];
    if (sha256 === undefined || file === undefined) continue;
    const path = `${options.name}/${file}`;
    await registerFile(db, { folder: options.folder, path, sha256 });
    paths.push(path);
  }
  return paths;
};
