/** The scripts of a role, in name order, from its barclamp's folder: scripts/ROLE/NN-what. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunKind } from '@hostwright/core';
import type { Script } from './bundle.ts';

export type ReadScripts =
  | { readonly ok: true; readonly scripts: readonly Script[] }
  | { readonly ok: false; readonly reason: string };

const NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,79}$/;
const LARGEST = 16 * 1024 * 1024;

const filesIn = async (folder: string): Promise<readonly string[] | undefined> => {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && !/^\.|~$|\.(md|swp|bak|orig)$/.test(entry.name))
      .map((entry) => entry.name)
      .toSorted();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

export interface ScriptsOf {
  /** The barclamp's folder. */
  readonly folder: string;
  readonly role: string;
  readonly kind: RunKind;
}

/** `refresh/` and `teardown/` below the role's folder stand in for it in such runs. */
export const readScripts = async ({ folder, role, kind }: ScriptsOf): Promise<ReadScripts> => {
  const base = join(folder, 'scripts', role);
  const special = kind === 'run' ? undefined : await filesIn(join(base, kind));
  if (kind === 'teardown' && special === undefined)
    return { ok: false, reason: `role ${role} has no scripts in scripts/${role}/teardown` };
  const place = special === undefined ? base : join(base, kind);
  const names = special ?? (await filesIn(base));
  if (names === undefined || names.length === 0)
    return { ok: false, reason: `role ${role} has no scripts in ${join('scripts', role)}` };
  let size = 0;
  const scripts: Script[] = [];
  for (const name of names) {
    if (!NAME.test(name))
      return { ok: false, reason: `a script cannot be called ${JSON.stringify(name)}` };
    const path = join(place, name);
    size += (await stat(path)).size;
    if (size > LARGEST)
      return { ok: false, reason: `the scripts of role ${role} are larger than 16 MB` };
    const content = await readFile(path);
    if (!content.subarray(0, 2).equals(Buffer.from('#!')))
      return { ok: false, reason: `${name} of role ${role} does not begin with #!` };
    scripts.push({ name, content });
  }
  return { ok: true, scripts };
};
