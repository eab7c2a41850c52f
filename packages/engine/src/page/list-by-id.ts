/** Lists that go from the newest id down, or by id upwards: the cursor is the id alone. */
import { sql, type RawBuilder } from 'kysely';
import { findIdOrName } from '../db/id-or-name.ts';
import type { Db, Tx } from '../db/open.ts';
import { DEFAULT_LIMIT, decodeCursor, pageFrom, type Page, type PageWish } from './cursor.ts';

export const listById = async <Row extends { readonly id: number }>(
  db: Db | Tx,
  options: {
    /** Names the list in its cursors. */
    readonly name: string;
    readonly columns: RawBuilder<unknown>;
    readonly from: RawBuilder<unknown>;
    readonly id: RawBuilder<unknown>;
    readonly where: readonly RawBuilder<unknown>[];
    readonly descending?: boolean;
    readonly wish: PageWish;
  },
): Promise<Page<Row>> => {
  const limit = options.wish.limit ?? DEFAULT_LIMIT;
  const at = decodeCursor(options.name, options.wish.cursor);
  const descending = options.descending ?? true;
  const where = [sql`true`, ...options.where];
  if (at !== undefined) where.push(sql`${options.id} ${sql.raw(descending ? '<' : '>')} ${at.id}`);
  const { rows } = await sql<Row>`
    select ${options.columns} from ${options.from} where ${sql.join(where, sql` and `)}
    order by ${options.id} ${sql.raw(descending ? 'desc' : 'asc')} limit ${limit + 1}`.execute(db);
  return pageFrom(rows, { limit, sort: options.name, valueOf: (row) => row.id });
};

/** A condition that takes names and ids alike, resolved to ids once. */
export const refsTo = (
  table: 'node' | 'role' | 'deployment' | 'barclamp',
  refs: readonly string[],
): RawBuilder<unknown> => {
  const found = refs.map(findIdOrName);
  const ids = found.flatMap((ref) => ref.id ?? []);
  const names = found.flatMap((ref) => ref.name ?? []);
  // an array, worked out once: then the planner goes through the index of what refers to them
  return sql`any(array(select id from ${sql.table(table)} where id = any(${ids}::bigint[]) or name = any(${names}::text[])))`;
};
