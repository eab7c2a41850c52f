/**
 * Takes a file into the store: whole and checked, or not at all. It is written beside the store's
 * files and moved into place only when its checksum is right; a full disk, a wrong checksum or a
 * sender that goes away leave what was there before, served as before.
 */
import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import { transaction, type Db } from '@hostwright/engine';
import { isFilePath } from '../valid.ts';

export interface ImportOptions {
  readonly folder: string;
  readonly path: string;
  readonly source: AsyncIterable<Uint8Array>;
  /** What it must be; without it, what came is what is registered. */
  readonly sha256?: string;
  /** If known, a file that cannot fit is refused before a byte is written. */
  readonly size?: number;
}

export interface ImportedFile {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

/** Starts with a dot, so it is no path that is served. */
const INCOMING = '.incoming';
const STALE_MS = 24 * 3600 * 1000;

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

const noSpace = (path: string, detail: string, cause?: unknown): HostwrightError =>
  new HostwrightError('no_space', {
    message: `the disk of the boot files is full: ${path} was not imported (${detail})`,
    ...(cause !== undefined && { cause }),
  });

/** What a server that was killed left behind. */
const sweepIncoming = async (incoming: string): Promise<void> => {
  for (const name of await readdir(incoming)) {
    const found = await stat(join(incoming, name)).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > STALE_MS)
      await rm(join(incoming, name), { force: true });
  }
};

const receive = async (draft: string, source: AsyncIterable<Uint8Array>) => {
  const hash = createHash('sha256');
  let size = 0;
  await using file = await open(draft, 'wx', 0o644);
  for await (const chunk of source) {
    hash.update(chunk);
    size += chunk.length;
    await file.writeFile(chunk);
  }
  await file.sync();
  return { sha256: hash.digest('hex'), size };
};

const putInPlace = async (
  db: Db,
  draft: string,
  file: ImportedFile & { readonly folder: string },
): Promise<void> => {
  const place = join(file.folder, file.path);
  const old = `${draft}.old`;
  await mkdir(dirname(place), { recursive: true });
  const replaces = await link(place, old).then(
    () => true,
    () => false,
  );
  const { path, sha256, size } = file;
  try {
    await transaction(db, async (tx) => {
      await tx
        .insertInto('boot_file')
        .values({ path, sha256, size })
        .onConflict((conflict) =>
          conflict.column('path').doUpdateSet({ sha256, size, updated_at: new Date() }),
        )
        .execute();
      await rename(draft, place);
    });
  } catch (error) {
    // the row is as before: so must be the file
    if (replaces) await rename(old, place);
    else await rm(place, { force: true });
    throw error;
  } finally {
    await rm(old, { force: true });
  }
};

export const importFile = async (db: Db, options: ImportOptions): Promise<ImportedFile> => {
  const { folder, path } = options;
  if (!isFilePath(path))
    throw new HostwrightError('bad_input', { message: `${path} is no path for a boot file` });
  const incoming = join(folder, INCOMING);
  await mkdir(incoming, { recursive: true });
  await sweepIncoming(incoming);
  if (options.size !== undefined) {
    const { bavail, bsize } = await statfs(folder);
    if (options.size > bavail * bsize)
      throw noSpace(path, `it needs ${options.size} bytes, ${bavail * bsize} are free`);
  }
  const draft = join(incoming, randomBytes(8).toString('hex'));
  try {
    const came = await receive(draft, options.source);
    if (options.size !== undefined && came.size !== options.size)
      throw new HostwrightError('conflict', {
        message: `${path} was cut off: ${came.size} of ${options.size} bytes came`,
      });
    if (options.sha256 !== undefined && came.sha256 !== options.sha256)
      throw new HostwrightError('conflict', {
        message: `${path} has checksum ${came.sha256}, not ${options.sha256}; it was not imported`,
      });
    await putInPlace(db, draft, { folder, path, ...came });
    return { path, ...came };
  } catch (error) {
    if (isFull(error)) throw noSpace(path, 'what had come was removed', error);
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
};
