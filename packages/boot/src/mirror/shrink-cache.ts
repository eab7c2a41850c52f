/**
 * Keeps the package cache within what the operator allows: what was asked for longest ago goes first.
 * Nothing is lost by it, since the mirror has all of it. Notes that a mirror lacks a file, which cost
 * a name each and could be asked for without end, go after a day and are never more than so many.
 */
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

export const FACTS = '.facts';
export const ABSENT = '.absent';
export const INCOMING = '.incoming';

const DAY_MS = 24 * 3600 * 1000;
const MOST_ABSENT = 10_000;
/** So far below the limit that it is not reached again at once. */
const ROOM = 0.9;

interface Held {
  readonly path: string;
  readonly size: number;
  readonly used: number;
}

/** Says that a file was asked for. To the day: a write for each request would be one too many. */
export const noteUse = async (path: string, now: Date): Promise<void> => {
  const facts = await stat(path + FACTS).catch(() => null);
  if (facts !== null && now.getTime() - facts.mtimeMs > DAY_MS)
    await utimes(path + FACTS, now, now).catch(() => undefined);
};

const newestFirst = (a: Held, b: Held): number => b.used - a.used;

const remove = async (path: string): Promise<void> => {
  // the facts first: without them the file is not believed
  await rm(path + FACTS, { force: true });
  await rm(path, { force: true });
};

export const shrinkCache = async (
  folder: string,
  options: { readonly limitBytes: number; readonly now: Date },
): Promise<void> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const old = options.now.getTime() - DAY_MS;
  const held: Held[] = [];
  const absent: Held[] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const facts = await stat(path).catch(() => null);
    if (facts === null) continue;
    const used = facts.mtimeMs;
    if (entry.parentPath === join(folder, INCOMING)) {
      if (used < old) await rm(path, { force: true });
    } else if (path.endsWith(ABSENT)) absent.push({ path, size: 0, used });
    else if (path.endsWith(FACTS)) {
      const data = path.slice(0, -FACTS.length);
      held.push({ path: data, size: (await stat(data).catch(() => null))?.size ?? 0, used });
    }
  }
  for (const [index, { path, used }] of absent.toSorted(newestFirst).entries())
    if (used < old || index >= MOST_ABSENT) await rm(path, { force: true });
  let total = held.reduce((sum, { size }) => sum + size, 0);
  if (total <= options.limitBytes) return;
  for (const { path, size } of held.toSorted(newestFirst).toReversed()) {
    if (total <= options.limitBytes * ROOM) return;
    await remove(path);
    total -= size;
  }
};
