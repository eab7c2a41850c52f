/** An OS template as it was imported, and the image it would write: the operator's wish, else its own. */
import type { JsonObject, JsonValue } from '@hostwright/core';
import type { Db, Tx } from '@hostwright/engine';

export interface TemplateRow {
  readonly name: string;
  readonly kind: 'preseed' | 'autoinstall' | 'kickstart' | 'image';
  readonly data: JsonObject;
  readonly folder: string;
}

export const readTemplateRow = async (db: Db | Tx, name: string): Promise<TemplateRow | null> => {
  const row = await db
    .selectFrom('os_template')
    .select(['name', 'kind', 'data', 'folder'])
    .where('name', '=', name)
    .executeTakeFirst();
  const kind = (['preseed', 'autoinstall', 'kickstart', 'image'] as const).find(
    (known) => known === row?.kind,
  );
  // imported by importOsTemplates only
  return row === undefined || kind === undefined
    ? null
    : { name: row.name, kind, folder: row.folder, data: row.data as JsonObject };
};

export const readImage = async (
  db: Db | Tx,
  template: TemplateRow,
  wish?: JsonValue,
): Promise<{ readonly path: string; readonly sha256: string; readonly size: number } | null> => {
  if (template.kind !== 'image') return null;
  const image = typeof wish === 'string' && wish !== '' ? wish : template.data['image'];
  if (typeof image !== 'string') return null;
  const file = await db
    .selectFrom('boot_file')
    .select(['path', 'sha256', 'size'])
    .where('path', '=', image)
    .executeTakeFirst();
  return file ?? null;
};
