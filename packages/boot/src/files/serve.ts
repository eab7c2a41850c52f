/**
 * Kernels, initrds and images. A file is served only if it is registered and its bytes are what was
 * registered: a wrong image is refused before a machine writes it to a disk. Each file is hashed once
 * per change of its size or time. One range per request is enough for loaders and resumed downloads.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { HostwrightError } from '@hostwright/core';
import type { Db } from '@hostwright/engine';
import { isFilePath } from '../valid.ts';

export interface FileAnswer {
  readonly status: 200 | 206 | 304 | 416;
  readonly headers: Readonly<Record<string, string>>;
  readonly file: { readonly path: string; readonly start: number; readonly end: number } | null;
}

export const hashFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
};

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Null = no usable range header: the whole file. 'unsatisfiable' = 416. */
export const readRange = (
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | null => {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return null;
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(from);
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (start >= size) return 'unsatisfiable';
  return end < start ? null : { start, end };
};

interface Hashed {
  /** Size and time of what was hashed. */
  readonly mark: string;
  readonly sha256: Promise<string>;
}

export interface FileStore {
  readonly folder: string;
  /** By path, what was hashed last, or is being. */
  readonly seen: Map<string, Hashed>;
}

export const openFileStore = (folder: string): FileStore => ({ folder, seen: new Map() });

/** However many ask, and also if it is the wrong one, a file is read once per change. */
const hashOnce = async (store: FileStore, path: string, mark: string): Promise<string> => {
  const seen = store.seen.get(path);
  if (seen?.mark === mark) return seen.sha256;
  const hashed = { mark, sha256: hashFile(path) };
  store.seen.set(path, hashed);
  hashed.sha256.catch(() => store.seen.get(path) === hashed && store.seen.delete(path));
  return hashed.sha256;
};

export const answerFile = async (
  db: Db,
  store: FileStore,
  request: { readonly path: string; readonly range?: string; readonly ifNoneMatch?: string },
): Promise<FileAnswer> => {
  if (!isFilePath(request.path)) throw new HostwrightError('not_found');
  const known = await db
    .selectFrom('boot_file')
    .select(['sha256', 'size'])
    .where('path', '=', request.path)
    .executeTakeFirst();
  if (known === undefined)
    throw new HostwrightError('not_found', { message: `${request.path} is not registered` });
  const path = join(store.folder, request.path);
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile())
    throw new HostwrightError('not_found', { message: `${request.path} is not on this server` });
  const mark = `${found.size}:${found.mtimeMs}:${found.ino}`;
  const right = found.size === known.size && (await hashOnce(store, path, mark)) === known.sha256;
  if (!right)
    throw new HostwrightError('conflict', {
      message: `${request.path} is not what was registered (wrong checksum); it is not served`,
    });
  const etag = `"${known.sha256}"`;
  const headers = { etag, 'accept-ranges': 'bytes', 'content-type': 'application/octet-stream' };
  if (request.ifNoneMatch === etag) return { status: 304, headers, file: null };
  const range = readRange(request.range, found.size);
  if (range === 'unsatisfiable') {
    return {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${found.size}` },
      file: null,
    };
  }
  const { start, end } = range ?? { start: 0, end: found.size - 1 };
  return {
    status: range === null ? 200 : 206,
    headers: {
      ...headers,
      'content-length': String(end - start + 1),
      ...(range !== null && { 'content-range': `bytes ${start}-${end}/${found.size}` }),
    },
    file: found.size === 0 ? null : { path, start, end },
  };
};
