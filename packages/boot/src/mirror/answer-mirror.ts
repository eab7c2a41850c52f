/**
 * Packages for installers, fetched once: `/boot/v1/mirror/NAME/PATH` is PATH of the mirror that the
 * setting boot/mirrors calls NAME, and of no other place. What never changes (pool, by-hash) is asked
 * for once; the rest is asked about each time, and served from the cache if the mirror is away.
 * apt and dnf check signatures and checksums themselves, as with any mirror.
 */
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import { readRange, type FileAnswer } from '../files/serve.ts';
import type { BootDeps } from '../boot/deps.ts';
import { readBootSettings } from '../boot/settings.ts';
import { fetchWhole, readCached } from './fetch-whole.ts';
import { noteUse, shrinkCache } from './shrink-cache.ts';

const PART = /^[A-Za-z0-9][A-Za-z0-9._+~:@=^-]*$/;
const UNCHANGING = /\/by-hash\/|\.(deb|udeb|rpm|dsc|orig\.tar\.\w+|debian\.tar\.\w+)$/;

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
};

const SHRINK_EVERY_MS = 3600 * 1000;
const shrunk = new Map<string, number>();

/** It grows by requests only, so a request is when to look; the one who asks does not wait for it. */
const shrinkNowAndThen = (deps: BootDeps, folder: string, gigabytes: number): void => {
  const now = new Date();
  if (now.getTime() - (shrunk.get(folder) ?? 0) < SHRINK_EVERY_MS) return;
  shrunk.set(folder, now.getTime());
  shrinkCache(folder, { limitBytes: gigabytes * 1024 ** 3, now }).catch((error: unknown) =>
    deps.log.warn({ err: error }, 'the package cache could not be shrunk'),
  );
};

export const answerMirror = async (
  deps: BootDeps,
  request: { readonly name: string; readonly path: string; readonly range?: string },
): Promise<FileAnswer> => {
  const { mirrors, mirrorGigabytes } = await readBootSettings(deps.database.db);
  const base = Object.hasOwn(mirrors, request.name) ? mirrors[request.name] : undefined;
  const parts = request.path.split('/').map(decode);
  if (base === undefined || !parts.every((part) => PART.test(part)) || request.path.length > 1000)
    throw new HostwrightError('not_found', { message: 'there is no such mirror or path' });
  const folder = join(deps.files.folder, '.mirror');
  const path = join(folder, request.name, ...parts);
  const held = await readCached(path);
  if (held !== null) await noteUse(path, new Date());
  shrinkNowAndThen(deps, folder, mirrorGigabytes);
  const file =
    held !== null && UNCHANGING.test(`/${parts.join('/')}`)
      ? held
      : await fetchWhole(folder, {
          path,
          held,
          url: `${base.replace(/\/$/, '')}/${parts.map(encodeURIComponent).join('/')}`,
        });
  const headers = {
    etag: `"${file.sha256}"`,
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
    ...(file.modified !== null && { 'last-modified': file.modified }),
  };
  const range = readRange(request.range, file.size);
  if (range === 'unsatisfiable')
    return {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${file.size}` },
      file: null,
    };
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  return {
    status: range === null ? 200 : 206,
    headers: {
      ...headers,
      'content-length': String(end - start + 1),
      ...(range !== null && { 'content-range': `bytes ${start}-${end}/${file.size}` }),
    },
    file: file.size === 0 ? null : { path: file.path, start, end },
  };
};
