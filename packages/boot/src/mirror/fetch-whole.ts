/**
 * One file of a mirror into the cache: whole, or not at all. What its name says of its checksum
 * (apt's by-hash) must be true. Several who ask for the same file wait for the same download.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import { ABSENT, FACTS, INCOMING } from './shrink-cache.ts';

export interface CachedFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly etag: string | null;
  readonly modified: string | null;
}

const PATIENCE_MS = 30_000;
const LARGEST = 8 * 1024 ** 3;

const bad = (message: string, cause?: unknown): HostwrightError =>
  new HostwrightError('unavailable', { message, ...(cause !== undefined && { cause }) });

const factsOf = (path: string): string => `${path}${FACTS}`;

/** Null also for what a power cut has left half there: it is fetched again. */
export const readCached = async (path: string): Promise<CachedFile | null> => {
  const facts = await readFile(factsOf(path), 'utf8').catch(() => null);
  const found = await stat(path).catch(() => null);
  if (facts === null || found === null || !found.isFile()) return null;
  try {
    // written by save only
    const known = JSON.parse(facts) as Omit<CachedFile, 'path'>;
    return known.size === found.size ? { ...known, path } : null;
  } catch {
    return null;
  }
};

/** Who asks for packages is unknown, and the database may lie on the same disk: it is never filled. */
const SPARE = 1024 ** 3;
const LOOK_EVERY = 64 * 1024 ** 2;

const needRoom = async (folder: string, bytes: number): Promise<void> => {
  const { bavail, bsize, blocks } = await statfs(folder);
  if (bavail * bsize - bytes < Math.min(SPARE, (blocks * bsize) / 20))
    throw new HostwrightError('no_space', { message: 'the disk of the package cache is full' });
};

const save = async (folder: string, path: string, answer: Response): Promise<CachedFile> => {
  const incoming = join(folder, INCOMING);
  await mkdir(incoming, { recursive: true });
  const draft = join(incoming, randomBytes(8).toString('hex'));
  const hash = createHash('sha256');
  let size = 0;
  let looked = 0;
  try {
    await needRoom(folder, Number(answer.headers.get('content-length') ?? 0));
    {
      await using file = await open(draft, 'wx', 0o644);
      for await (const chunk of answer.body ?? []) {
        size += chunk.length;
        if (size > LARGEST) throw bad('the file is larger than a cache should hold');
        if (size - looked > LOOK_EVERY) {
          looked = size;
          await needRoom(folder, 0);
        }
        hash.update(chunk);
        await file.writeFile(chunk);
      }
    }
    const promised = answer.headers.get('content-length');
    if (
      promised !== null &&
      answer.headers.get('content-encoding') === null &&
      Number(promised) !== size
    )
      throw bad(`the mirror sent ${size} of ${promised} bytes`);
    const sha256 = hash.digest('hex');
    const named = /\/by-hash\/SHA256\/([0-9a-f]{64})$/.exec(path)?.[1];
    if (named !== undefined && named !== sha256)
      throw bad('the mirror sent a file that has not the checksum of its name');
    const facts = {
      size,
      sha256,
      etag: answer.headers.get('etag'),
      modified: answer.headers.get('last-modified'),
    };
    await mkdir(dirname(path), { recursive: true });
    await writeFile(factsOf(draft), JSON.stringify(facts));
    await rename(draft, path);
    await rename(factsOf(draft), factsOf(path));
    return { path, ...facts };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC')
      throw new HostwrightError('no_space', { message: 'the disk of the package cache is full' });
    throw error instanceof HostwrightError ? error : bad('the mirror broke off', error);
  } finally {
    for (const left of [draft, factsOf(draft)]) await rm(left, { force: true });
  }
};

const download = async (
  folder: string,
  options: { readonly path: string; readonly url: string; readonly held: CachedFile | null },
): Promise<CachedFile> => {
  const { held } = options;
  const answer = await fetch(options.url, {
    // another host than the operator named is not asked
    redirect: 'manual',
    signal: AbortSignal.timeout(held === null ? PATIENCE_MS * 20 : PATIENCE_MS),
    headers: {
      'accept-encoding': 'identity',
      ...(held?.etag != null && { 'if-none-match': held.etag }),
      ...(held?.modified != null && { 'if-modified-since': held.modified }),
    },
  }).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  const away = answer instanceof Error || answer.status >= 500;
  // what is held is better than nothing: apt checks its age and signature itself
  if (held !== null && (away || answer.status === 304)) return held;
  // not beside the file: who asks for Release/x must not make a folder where Release belongs
  const name = createHash('sha256').update(options.path).digest('hex');
  const gone = join(folder, ABSENT, `${name}${ABSENT}`);
  const missing = new HostwrightError('not_found', { message: 'the mirror has no such file' });
  if (away) {
    // apt goes on to another file only if it hears that this one is not there
    if ((await stat(gone).catch(() => null)) !== null) throw missing;
    throw bad('the mirror cannot be reached', answer);
  }
  if (answer.status === 404) {
    await mkdir(dirname(gone), { recursive: true });
    await writeFile(gone, '');
    throw missing;
  }
  if (answer.status !== 200) throw bad(`the mirror answered ${answer.status}`);
  return save(folder, options.path, answer);
};

const under = new Map<string, Promise<CachedFile>>();

export const fetchWhole = async (
  folder: string,
  options: { readonly path: string; readonly url: string; readonly held: CachedFile | null },
): Promise<CachedFile> => {
  const running = under.get(options.path);
  if (running !== undefined) return running;
  const work = download(folder, options).finally(() => under.delete(options.path));
  under.set(options.path, work);
  return work;
};
