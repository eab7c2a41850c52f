/**
 * OS templates are folders: `template.yaml` and the files an installer asks for. Adding an OS is
 * adding a folder. Importing the same folder again changes nothing.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HostwrightError, type JsonObject } from '@hostwright/core';
import type { Db } from '@hostwright/engine';
import { parse } from 'yaml';
import { isFilePath, isPlainWord } from '../valid.ts';

export const OS_FOLDER = fileURLToPath(new URL('../../os', import.meta.url));

export interface OsTemplate {
  readonly name: string;
  readonly title: string;
  readonly family: string;
  readonly version: string;
  readonly kind: 'preseed' | 'autoinstall' | 'kickstart' | 'image';
  readonly boot: {
    readonly kernel: string;
    readonly initrds: readonly string[];
    readonly cmdline: string;
  };
  readonly data: JsonObject;
  readonly folder: string;
  readonly hash: string;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const word = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

export const readOsTemplate = async (folder: string, name: string): Promise<OsTemplate> => {
  const place = join(folder, name);
  const bad = (message: string) =>
    new HostwrightError('bad_input', { message: `OS template ${name}: ${message}` });
  const parsed: unknown = parse(await readFile(join(place, 'template.yaml'), 'utf8'));
  if (!isRecord(parsed)) throw bad('template.yaml is not a map');
  const kind = (['preseed', 'autoinstall', 'kickstart', 'image'] as const).find(
    (known) => known === parsed['kind'],
  );
  if (kind === undefined) throw bad('kind must be preseed, autoinstall, kickstart or image');
  const boot = isRecord(parsed['boot']) ? parsed['boot'] : {};
  const kernel = word(boot['kernel']);
  const initrds = Array.isArray(boot['initrds']) ? boot['initrds'].map(word) : [];
  const cmdline = word(boot['cmdline']);
  if (![kernel, ...initrds].every(isFilePath))
    throw bad('boot.kernel and boot.initrds must be paths of boot files');
  if (!cmdline.split(' ').every((part) => isPlainWord(part.replaceAll(/\{\{[a-z_]+\}\}/g, ''))))
    throw bad('boot.cmdline holds an odd character');
  const hash = createHash('sha256');
  for (const file of (await readdir(place)).sort())
    hash.update(file).update(await readFile(join(place, file)));
  return {
    name,
    title: word(parsed['title']) || name,
    family: word(parsed['family']),
    version: word(parsed['version']),
    kind,
    boot: { kernel, initrds, cmdline },
    // what YAML gives is JSON but for dates, which templates do not use
    data: (isRecord(parsed['data']) ? parsed['data'] : {}) as JsonObject,
    folder: place,
    hash: hash.digest('hex'),
  };
};

export const importOsTemplates = async (
  db: Db,
  folder: string = OS_FOLDER,
): Promise<readonly string[]> => {
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  for (const name of names.sort()) {
    const template = await readOsTemplate(folder, name);
    const { title, family, version, kind, hash } = template;
    const row = {
      title,
      family,
      version,
      kind,
      folder: template.folder,
      content_hash: hash,
      data: JSON.stringify(template.data),
    };
    await db
      .insertInto('os_template')
      .values({ name, ...row })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
      .execute();
    const env = {
      kind: 'install',
      description: `Installs ${title}`,
      kernel: template.boot.kernel,
      initrds: [...template.boot.initrds],
      cmdline: template.boot.cmdline,
      os_template: name,
    };
    await db
      .insertInto('boot_env')
      .values({ name: `${name}-install`, ...env })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(env))
      .execute();
  }
  return names;
};
