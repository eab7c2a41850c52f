/** OS templates, whether what they boot is there, and the files they are made of. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostwrightError, type JsonObject } from '@hostwright/core';
import type { Db } from '@hostwright/engine';
import { listBootEnvs } from '../boot/list-envs.ts';

export interface TemplateView {
  readonly name: string;
  readonly title: string;
  readonly family: string;
  readonly version: string;
  readonly kind: 'preseed' | 'autoinstall' | 'kickstart' | 'image';
  readonly bootenv: string;
  readonly bootable: boolean;
  readonly missing: readonly string[];
  readonly contentHash: string;
  readonly importedAt: Date;
}

export interface TemplateDetail extends TemplateView {
  readonly data: JsonObject;
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

const rowsOf = async (db: Db, name?: string) => {
  let query = db.selectFrom('os_template').selectAll().orderBy('name');
  if (name !== undefined) query = query.where('name', '=', name);
  const envs = new Map((await listBootEnvs(db)).map((env) => [env.name, env]));
  return (await query.execute()).map((row) => {
    const bootenv = `${row.name}-install`;
    const image = (row.data as JsonObject)['image'];
    const env = envs.get(bootenv);
    return { row, bootenv, image: typeof image === 'string' ? image : null, env };
  });
};

const view = (
  { row, bootenv, image, env }: Awaited<ReturnType<typeof rowsOf>>[number],
  images: ReadonlySet<string>,
): TemplateView => {
  const missing = [
    ...(env?.missing ?? []),
    ...(image !== null && !images.has(image) ? [image] : []),
  ];
  return {
    name: row.name,
    title: row.title,
    family: row.family,
    version: row.version,
    // the check constraint of os_template holds the same list
    kind: row.kind as TemplateView['kind'],
    bootenv,
    bootable: env !== undefined && missing.length === 0,
    missing,
    contentHash: row.content_hash,
    importedAt: row.imported_at,
  };
};

const readImages = async (db: Db, paths: readonly (string | null)[]): Promise<Set<string>> => {
  const wanted = paths.flatMap((path) => path ?? []);
  if (wanted.length === 0) return new Set();
  const rows = await db
    .selectFrom('boot_file')
    .select('path')
    .where('path', 'in', wanted)
    .execute();
  return new Set(rows.map((row) => row.path));
};

export const listOsTemplates = async (db: Db): Promise<readonly TemplateView[]> => {
  const rows = await rowsOf(db);
  const images = await readImages(
    db,
    rows.map(({ image }) => image),
  );
  return rows.map((row) => view(row, images));
};

const readFiles = async (folder: string) => {
  // the folder may be on another server, or gone since it was imported
  const names: string[] = await readdir(folder).catch(() => []);
  const files = names.sort().map(async (name) => ({
    name,
    text: await readFile(join(folder, name), 'utf8'),
  }));
  return Promise.all(files);
};

export const needOsTemplate = async (db: Db, name: string): Promise<TemplateDetail> => {
  const [found] = await rowsOf(db, name);
  if (found === undefined)
    throw new HostwrightError('not_found', { message: `there is no OS template ${name}` });
  return {
    ...view(found, await readImages(db, [found.image])),
    // imported by importOsTemplates only
    data: found.row.data as JsonObject,
    files: await readFiles(found.row.folder),
  };
};
