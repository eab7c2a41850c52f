/**
 * Loads a barclamp's hooks.ts. Kept per content, so that a re-imported barclamp brings its new
 * hooks without a restart, and asking again costs nothing.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HostwrightError } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import type { BarclampHooks } from './hooks.ts';
import { HOOKS, VETO_HOOKS } from './kinds.ts';

const KNOWN = new Set<string>([...Object.keys(HOOKS), ...VETO_HOOKS, 'transitions']);

/** undefined: the barclamp has no hooks. */
export const loadHooks = async (
  folder: string,
  content = '',
): Promise<BarclampHooks | undefined> => {
  const file = join(folder, 'hooks.ts');
  try {
    await access(file);
  } catch {
    return undefined;
  }
  const url = pathToFileURL(file);
  if (content !== '') url.searchParams.set('content', content);
  let loaded: unknown;
  try {
    loaded = await import(url.href);
  } catch (cause) {
    throw refuse(file, cause instanceof Error ? cause.message : String(cause), cause);
  }
  return check(file, loaded);
};

const refuse = (file: string, message: string, cause?: unknown) =>
  new HostwrightError('bad_input', { message: `${file}: ${message}`, cause });

const check = (file: string, loaded: unknown): BarclampHooks => {
  const hooks =
    typeof loaded === 'object' && loaded !== null && 'hooks' in loaded ? loaded.hooks : undefined;
  if (typeof hooks !== 'object' || hooks === null)
    throw refuse(file, 'must export an object named hooks');
  for (const [name, hook] of Object.entries(hooks)) {
    if (!KNOWN.has(name)) throw refuse(file, `there is no hook ${name}`);
    if (name !== 'transitions' && typeof hook !== 'function')
      throw refuse(file, `${name} must be a function`);
  }
  // Checked above as far as a program can; the types are the barclamp's own promise.
  return hooks;
};

export interface BarclampWithHooks {
  readonly name: string;
  readonly content: string;
  readonly hooks: BarclampHooks | undefined;
  /** Why its hooks could not be loaded. */
  readonly error: string | undefined;
}

const kept = new Map<string, Promise<BarclampHooks | undefined>>();

const loadKept = (folder: string, content: string): Promise<BarclampHooks | undefined> => {
  const key = `${folder}\n${content}`;
  const there = kept.get(key);
  if (there !== undefined) return there;
  const loading = loadHooks(folder, content);
  kept.set(key, loading);
  // A file that could not be loaded may be mended without its content hash moving.
  loading.catch(() => kept.delete(key));
  return loading;
};

/** Every imported barclamp with its hooks, in order of name. */
export const readBarclampHooks = async (db: Db | Tx): Promise<BarclampWithHooks[]> => {
  const rows = await db
    .selectFrom('barclamp')
    .select(['name', 'source_path', 'content_hash'])
    .orderBy('name')
    .execute();
  return Promise.all(
    rows.map(async (row) => {
      try {
        const hooks = await loadKept(row.source_path, row.content_hash);
        return { name: row.name, content: row.content_hash, hooks, error: undefined };
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        return { name: row.name, content: row.content_hash, hooks: undefined, error: text };
      }
    }),
  );
};
