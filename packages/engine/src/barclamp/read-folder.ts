/** A barclamp's folder: its manifest, and a hash of all its files, per role and as a whole. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { HostwrightError, type Manifest, type Refusal } from '@hostwright/core';
import { badManifest, MANIFEST_LIMIT, readManifest } from './read-manifest.ts';

const MOST_FILES = 5000;
const MOST_BYTES = 64 * 1024 * 1024;

export interface BarclampFolder {
  readonly path: string;
  readonly manifest: Manifest;
  readonly contentHash: string;
  /** Hash of a role's scripts and templates; absent if it has none. */
  readonly roleContent: ReadonlyMap<string, string>;
}

const listFiles = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  // links are left out: what they point to is not part of the barclamp
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter(
      (file) => !file.split('/').some((part) => part === 'node_modules' || part.startsWith('.')),
    )
    .sort();
};

const bad = (message: string): HostwrightError =>
  badManifest([{ code: 'folder', path: 'folder', message }]);

const readText = async (folder: string): Promise<string> => {
  const file = join(folder, 'barclamp.yml');
  try {
    const { size } = await stat(file);
    if (size > MANIFEST_LIMIT) throw bad(`barclamp.yml is larger than ${MANIFEST_LIMIT / 1024} KB`);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof HostwrightError) throw error;
    throw bad(`there is no readable barclamp.yml in ${folder}`);
  }
};

/** `scripts/ROLE/...` and `templates/ROLE/...` belong to that role. */
const roleOf = (file: string): string | undefined => {
  const [top, role, rest] = file.split('/');
  return (top === 'scripts' || top === 'templates') && rest !== undefined ? role : undefined;
};

const checkScripts = (manifest: Manifest, files: readonly string[]): Refusal[] => {
  const refusals: Refusal[] = [];
  const has = (prefix: string, direct: boolean) =>
    files.some(
      (file) => file.startsWith(prefix) && (!direct || !file.slice(prefix.length).includes('/')),
    );
  manifest.roles.forEach((role, index) => {
    if (role.jig !== 'script' || role.flags.includes('abstract')) return;
    if (!has(`scripts/${role.name}/`, true))
      refusals.push({
        code: 'no_scripts',
        path: `roles.${index}.jig`,
        message: `role ${role.name} is run by the script jig but has no scripts in scripts/${role.name}/`,
      });
    if (role.teardown && !has(`scripts/${role.name}/teardown/`, true))
      refusals.push({
        code: 'no_scripts',
        path: `roles.${index}.teardown`,
        message: `role ${role.name} has a teardown but no scripts in scripts/${role.name}/teardown/`,
      });
  });
  const names = new Set(manifest.roles.map((role) => role.name));
  for (const role of new Set(files.flatMap((file) => roleOf(file) ?? [])))
    if (!names.has(role))
      refusals.push({
        code: 'stray_files',
        path: `scripts/${role}`,
        message: `there are scripts or templates for ${role}, which is no role of this barclamp`,
      });
  return refusals;
};

export const readBarclampFolder = async (given: string): Promise<BarclampFolder> => {
  const path = resolve(given);
  const manifest = readManifest(await readText(path));
  const files = await listFiles(path);
  if (files.length > MOST_FILES) throw bad(`the folder has more than ${MOST_FILES} files`);
  const whole = createHash('sha256');
  const roles = new Map<string, ReturnType<typeof createHash>>();
  let bytes = 0;
  for (const file of files) {
    const { size } = await stat(join(path, file));
    bytes += size;
    if (bytes > MOST_BYTES) throw bad(`the folder is larger than ${MOST_BYTES / 1024 / 1024} MB`);
    const content = await readFile(join(path, file));
    const line = `${file} ${createHash('sha256').update(content).digest('hex')}\n`;
    whole.update(line);
    const role = roleOf(file);
    if (role === undefined) continue;
    const hash = roles.get(role) ?? createHash('sha256');
    roles.set(role, hash.update(line));
  }
  const refusals = checkScripts(manifest, files);
  if (refusals.length > 0) throw badManifest(refusals);
  return {
    path,
    manifest,
    contentHash: whole.digest('hex'),
    roleContent: new Map([...roles].map(([role, hash]) => [role, hash.digest('hex')])),
  };
};
