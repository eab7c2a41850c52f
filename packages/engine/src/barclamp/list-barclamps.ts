import { HostwrightError, type JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import type { Page, PageWish } from '../page/cursor.ts';
import { listById, refsTo } from '../page/list-by-id.ts';

export interface BarclampView {
  readonly id: number;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly sourcePath: string;
  readonly contentHash: string;
  readonly data: JsonObject;
  readonly roles: readonly string[];
  readonly revision: number;
  readonly importedAt: Date;
}

const COLUMNS = sql`b.id, b.name, b.version, b.description, b.source_path as "sourcePath", b.content_hash as "contentHash",
  b.data, array(select r.name from role r where r.barclamp_id = b.id and r.removed_at is null order by 1) as roles,
  b.revision, b.imported_at as "importedAt"`;

export const listBarclamps = (db: Db | Tx, wish: PageWish): Promise<Page<BarclampView>> =>
  listById<BarclampView>(db, {
    name: 'barclamp',
    columns: COLUMNS,
    from: sql`barclamp b`,
    id: sql`b.id`,
    where: [],
    descending: false,
    wish,
  });

export const readBarclampView = async (db: Db | Tx, ref: string): Promise<BarclampView> => {
  const { rows } = await sql<BarclampView>`
    select ${COLUMNS} from barclamp b where b.id = ${refsTo('barclamp', [ref])}`.execute(db);
  if (rows[0] === undefined)
    throw new HostwrightError('not_found', {
      message: `there is no barclamp ${ref.slice(0, 255)}`,
    });
  return rows[0];
};
