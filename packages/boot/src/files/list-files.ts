/** What is registered to be served, by path. */
import { decodeCursor, encodeCursor, type Db, type Page, type PageWish } from '@hostwright/engine';

export interface FileView {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  readonly updatedAt: Date;
}

const select = (db: Db) =>
  db.selectFrom('boot_file').select(['path', 'sha256', 'size', 'updated_at as updatedAt']);

export const listBootFiles = async (
  db: Db,
  options: PageWish & { readonly q?: string | undefined },
): Promise<Page<FileView>> => {
  const limit = options.limit ?? 100;
  const at = decodeCursor('path', options.cursor);
  let query = select(db)
    .orderBy('path')
    .limit(limit + 1);
  if (at !== undefined) query = query.where('path', '>', String(at.value));
  const part = options.q ?? '';
  if (part !== '')
    query = query.where((row) => row(row.fn('strpos', ['path', row.val(part)]), '>', 0));
  const rows = await query.execute();
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    next: rows.length > limit && last !== undefined ? encodeCursor('path', last.path, 0) : null,
  };
};

export const readBootFiles = async (
  db: Db,
  paths: readonly string[],
): Promise<readonly FileView[]> =>
  paths.length === 0 ? [] : select(db).where('path', 'in', paths).orderBy('path').execute();
