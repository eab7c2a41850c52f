/**
 * Loads a barclamp's hooks.ts. Its hooks run in a thread (hook-thread.ts), kept per content, so that
 * a re-imported barclamp brings its new hooks without a restart, and asking again costs nothing.
 * Transitions are jigs' work and run in the worker itself.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HostwrightError } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import { createHookThread, type HookThread } from './hook-thread.ts';
import type { BarclampHooks } from './hooks.ts';
import { HOOKS, VETO_HOOKS } from './kinds.ts';

const KNOWN = new Set<string>([...Object.keys(HOOKS), ...VETO_HOOKS, 'transitions']);

/** Told after a change or asked before it: one that hangs must not hold up the other. */
export type HookPurpose = 'told' | 'asked';

export interface ThreadedHooks {
  readonly names: ReadonlySet<string>;
  readonly call: HookThread['call'];
}

const findFile = async (folder: string): Promise<string | undefined> => {
  const file = join(folder, 'hooks.ts');
  try {
    await access(file);
    return file;
  } catch {
    return undefined;
  }
};

const refuse = (file: string, message: string, cause?: unknown) =>
  new HostwrightError('bad_input', { message: `${file}: ${message}`, cause });

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const check = (
  file: string,
  hooks: readonly (readonly [string, string])[] | undefined,
): ReadonlySet<string> => {
  if (hooks === undefined) throw refuse(file, 'must export an object named hooks');
  for (const [name, type] of hooks) {
    if (!KNOWN.has(name)) throw refuse(file, `there is no hook ${name}`);
    if (type !== (name === 'transitions' ? 'object' : 'function'))
      throw refuse(file, `${name} must be ${name === 'transitions' ? 'an object' : 'a function'}`);
  }
  return new Set(hooks.map(([name]) => name));
};

interface Opened {
  readonly thread: HookThread;
  readonly hooks: ThreadedHooks;
}

const open = async (folder: string): Promise<Opened | undefined> => {
  const file = await findFile(folder);
  if (file === undefined) return undefined;
  const thread = createHookThread(pathToFileURL(file).href);
  try {
    const loaded = await thread.loaded().catch((cause: unknown) => {
      throw refuse(file, textOf(cause), cause);
    });
    return { thread, hooks: { names: check(file, loaded), call: thread.call } };
  } catch (error) {
    await thread.close();
    throw error;
  }
};

/** undefined: the barclamp has no hooks. */
export const loadHooks = async (folder: string): Promise<ThreadedHooks | undefined> =>
  (await open(folder))?.hooks;

interface Kept {
  readonly content: string;
  readonly opening: Promise<Opened | undefined>;
}

const kept = new Map<string, Kept>();

const openKept = async (
  purpose: HookPurpose,
  folder: string,
  content: string,
): Promise<ThreadedHooks | undefined> => {
  const key = `${purpose}\n${folder}`;
  const there = kept.get(key);
  if (there?.content === content) return (await there.opening)?.hooks;
  const opening = open(folder);
  kept.set(key, { content, opening });
  void there?.opening.then((opened) => opened?.thread.close()).catch(() => {});
  // A file that could not be loaded may be mended without its content hash moving.
  opening.catch(() => kept.get(key)?.opening === opening && kept.delete(key));
  return (await opening)?.hooks;
};

export interface BarclampWithHooks {
  readonly name: string;
  readonly content: string;
  readonly hooks: ThreadedHooks | undefined;
  /** Why its hooks could not be loaded. */
  readonly error: string | undefined;
}

const readFolders = (db: Db | Tx) =>
  db.selectFrom('barclamp').select(['name', 'source_path as path', 'content_hash as content']);

/** Every imported barclamp with its hooks, in order of name. */
export const readBarclampHooks = async (
  db: Db | Tx,
  purpose: HookPurpose,
): Promise<BarclampWithHooks[]> => {
  const rows = await readFolders(db).orderBy('name').execute();
  return Promise.all(
    rows.map(async ({ name, path, content }) => {
      try {
        const hooks = await openKept(purpose, path, content);
        return { name, content, hooks, error: undefined };
      } catch (error) {
        return { name, content, hooks: undefined, error: textOf(error) };
      }
    }),
  );
};

/** What the role-provided jig calls: in this process, for it needs the handle of the run. */
export const loadTransitions = async (
  db: Db | Tx,
  barclamp: string,
): Promise<BarclampHooks['transitions']> => {
  const row = await readFolders(db).where('name', '=', barclamp).executeTakeFirst();
  const file = row === undefined ? undefined : await findFile(row.path);
  if (row === undefined || file === undefined) return undefined;
  const url = pathToFileURL(file);
  url.searchParams.set('content', row.content);
  const loaded: { readonly hooks?: BarclampHooks } = await import(url.href);
  return loaded.hooks?.transitions;
};
