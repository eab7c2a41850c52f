import {
  HostwrightError,
  type JsonObject,
  type JsonValue,
  type Lane,
  type RoleFlag,
  ROLE_FLAGS,
} from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { DEFAULT_LIMIT, decodeCursor, pageFrom, type Page, type PageWish } from '../page/cursor.ts';
import { refsTo } from '../page/list-by-id.ts';

export interface RoleView {
  readonly id: number;
  readonly name: string;
  readonly barclamp: string;
  readonly description: string;
  readonly jig: string;
  readonly lane: Lane;
  readonly flags: readonly RoleFlag[];
  readonly provides: readonly string[];
  readonly conflicts: readonly string[];
  readonly requires: readonly string[];
  readonly after: readonly string[];
  readonly wants: readonly string[];
  readonly attribs: readonly {
    readonly name: string;
    readonly path: string;
    readonly description: string;
    readonly schema: JsonObject | null;
    readonly default: JsonValue;
    readonly secret: boolean;
    readonly volatile: boolean;
  }[];
  readonly priority: number;
  readonly deadlineSeconds: number;
  readonly retryLimit: number;
  readonly retryBackoffSeconds: number;
  readonly teardown: boolean;
  readonly data: JsonObject;
  readonly noderoles: number;
  readonly removed: boolean;
  readonly revision: number;
}

export interface RoleFilter {
  readonly q?: string | undefined;
  readonly barclamp?: readonly string[] | undefined;
  readonly jig?: readonly string[] | undefined;
  readonly flag?: readonly RoleFlag[] | undefined;
  readonly offered?: boolean | undefined;
}

// a secret's default would be a secret in an answer
const COLUMNS = sql`r.id, r.name, b.name as barclamp, r.description, r.jig, r.lane,
  array_remove(array[${sql.join(ROLE_FLAGS.map((flag) => sql`case when r.${sql.id(flag)} then ${sql.lit(flag)} end`))}], null) as flags,
  r.provides, r.conflicts,
  array(select requires from role_require q where q.role_id = r.id and q.kind = 'hard' order by 1) as requires,
  array(select requires from role_require q where q.role_id = r.id and q.kind = 'soft' order by 1) as after,
  array(select attrib from role_want w where w.role_id = r.id order by 1) as wants,
  coalesce((select json_agg(json_build_object('name', a.name, 'path', a.path, 'description', a.description, 'schema', a.schema,
     'default', case when a.secret then null else a.default end, 'secret', a.secret, 'volatile', a.volatile) order by a.name)
     from attrib a where a.role_id = r.id), '[]') as attribs,
  r.priority, r.deadline_seconds as "deadlineSeconds", r.retry_limit as "retryLimit",
  r.retry_backoff_seconds as "retryBackoffSeconds", r.teardown, r.data,
  (select count(*)::int from noderole x where x.role_id = r.id) as noderoles,
  r.removed_at is not null as removed, r.revision`;

const FROM = sql`role r join barclamp b on b.id = r.barclamp_id`;

const conditions = (filter: RoleFilter): RawBuilder<unknown>[] => {
  const where: RawBuilder<unknown>[] = [];
  if (filter.q !== undefined)
    where.push(
      sql`(position(lower(${filter.q}) in r.name) > 0 or position(lower(${filter.q}) in lower(r.description)) > 0)`,
    );
  if (filter.barclamp !== undefined)
    where.push(sql`r.barclamp_id = ${refsTo('barclamp', filter.barclamp)}`);
  if (filter.jig !== undefined) where.push(sql`r.jig = any(${filter.jig})`);
  for (const flag of filter.flag ?? []) where.push(sql`r.${sql.id(flag)}`);
  if (filter.offered === true)
    where.push(sql`not r.library and not r.abstract and r.removed_at is null`);
  if (filter.offered === false)
    where.push(sql`(r.library or r.abstract or r.removed_at is not null)`);
  return where;
};

export const listRoles = async (
  db: Db | Tx,
  wish: PageWish & {
    readonly filter: RoleFilter;
    readonly sort?: 'name' | 'id' | '-name' | '-id' | undefined;
  },
): Promise<Page<RoleView>> => {
  const sort = wish.sort ?? 'name';
  const descending = sort.startsWith('-');
  const byName = sort.endsWith('name');
  const limit = wish.limit ?? DEFAULT_LIMIT;
  const from = decodeCursor(`role ${sort}`, wish.cursor);
  const column = byName ? sql`r.name` : sql`r.id`;
  const where = [sql`true`, ...conditions(wish.filter)];
  if (from !== undefined)
    where.push(sql`${column} ${sql.raw(descending ? '<' : '>')} ${byName ? from.value : from.id}`);
  const { rows } = await sql<RoleView>`
    select ${COLUMNS} from ${FROM} where ${sql.join(where, sql` and `)}
    order by ${column} ${sql.raw(descending ? 'desc' : 'asc')} limit ${limit + 1}`.execute(db);
  return pageFrom(rows, { limit, sort: `role ${sort}`, valueOf: (row) => row.name });
};

export const readRoleView = async (db: Db | Tx, ref: string): Promise<RoleView> => {
  const { rows } = await sql<RoleView>`
    select ${COLUMNS} from ${FROM} where r.id = ${refsTo('role', [ref])}`.execute(db);
  if (rows[0] === undefined)
    throw new HostwrightError('not_found', { message: `there is no role ${ref.slice(0, 255)}` });
  return rows[0];
};
