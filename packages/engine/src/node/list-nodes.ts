/**
 * Nodes for the API: any filter, a page by keyset. The roll-up of a node's noderoles is worked out
 * for the page only; a filter on it is a list of ids from whoever keeps the fleet in memory.
 */
import type { JsonObject, NodeRollup } from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { refsTo } from '../page/list-by-id.ts';
import { DEFAULT_LIMIT, decodeCursor, pageFrom, type Page, type PageWish } from '../page/cursor.ts';
import type { NodeRecord } from './find.ts';

export interface NodeListFilter {
  readonly q?: string | undefined;
  readonly deployment?: readonly string[] | undefined;
  readonly alive?: boolean | undefined;
  readonly available?: boolean | undefined;
  readonly admin?: boolean | undefined;
  /** `key` or `key=value`. */
  readonly label?: readonly string[] | undefined;
  readonly group?: readonly string[] | undefined;
  readonly role?: readonly string[] | undefined;
  readonly noderoleState?: readonly string[] | undefined;
  readonly bootenv?: readonly string[] | undefined;
  /** Only these: a choice somebody else has made already. */
  readonly ids?: readonly number[] | undefined;
}

export type NodeSort =
  | 'name'
  | 'id'
  | 'createdAt'
  | 'updatedAt'
  | 'aliveChangedAt'
  | 'bootenv'
  | 'deployment';

export interface NodeListItem extends Omit<NodeRecord, 'hint' | 'discovery' | 'deletedAt'> {
  readonly deployment: string;
  readonly rollup: NodeRollup;
  readonly hint?: JsonObject;
  readonly discovery?: JsonObject;
  readonly groups: readonly string[];
  readonly lastSeenAt: Date | null;
}

const SORTS: Readonly<
  Record<NodeSort, { readonly column: RawBuilder<unknown>; readonly type: string }>
> = {
  name: { column: sql`n.name`, type: 'text' },
  id: { column: sql`n.id`, type: 'bigint' },
  createdAt: { column: sql`n.created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`n.updated_at`, type: 'timestamptz' },
  aliveChangedAt: { column: sql`n.alive_changed_at`, type: 'timestamptz' },
  bootenv: { column: sql`n.bootenv`, type: 'text' },
  deployment: { column: sql`d.name`, type: 'text' },
};

/** The worst or busiest state; `undefined` = at rest, with nothing outside the system deployment. */
const ROLLUP = sql`(
  select case
    when bool_or(nr.state = 'error') then 'error'
    when bool_or(nr.state = 'transition') then 'transition'
    when bool_or(nr.state = 'todo') then 'todo'
    when bool_or(nr.state = 'blocked') then 'blocked'
    when bool_or(nr.state = 'proposed') then 'proposed'
    when n.admin or bool_or(not d.system) then 'active'
    else 'undefined' end
  from noderole nr join deployment d on d.id = nr.deployment_id where nr.node_id = n.id)`;

/** Those not active are few, and listed. */
const has = (states: readonly string[]) =>
  sql`exists (select 1 from noderole x ${states.includes('active') ? sql`` : sql`join unsettled u on u.noderole_id = x.id`}
    where x.node_id = n.id and x.state in (${sql.join(states.map((state) => sql.lit(state)))}))`;
const labelIs = (text: string): RawBuilder<unknown> => {
  const equals = text.indexOf('=');
  return equals < 0
    ? sql`n.labels ? ${text}`
    : sql`n.labels @> ${JSON.stringify({ [text.slice(0, equals)]: text.slice(equals + 1) })}::jsonb`;
};

const like = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

export const nodeConditions = (filter: NodeListFilter): RawBuilder<unknown>[] => {
  const where: RawBuilder<unknown>[] = [sql`n.deleted_at is null`];
  if (filter.q !== undefined) {
    const pattern = like(filter.q.toLowerCase());
    where.push(sql`(n.name like ${pattern} or lower(n.description) like ${pattern}
      or lower(n.serial) like ${pattern} or array_to_string(n.macs, ' ') like ${pattern})`);
  }
  if (filter.deployment !== undefined)
    where.push(sql`n.deployment_id = ${refsTo('deployment', filter.deployment)}`);
  if (filter.ids !== undefined) where.push(sql`n.id = any(${filter.ids}::bigint[])`);
  if (filter.alive !== undefined) where.push(sql`n.alive = ${filter.alive}`);
  if (filter.available !== undefined) where.push(sql`n.available = ${filter.available}`);
  if (filter.admin !== undefined) where.push(sql`n.admin = ${filter.admin}`);
  if (filter.bootenv !== undefined) where.push(sql`n.bootenv = any(${filter.bootenv})`);
  for (const label of filter.label ?? []) where.push(labelIs(label));
  if (filter.group !== undefined)
    where.push(sql`n.id in (select m.node_id from node_group_member m join node_group g on g.id = m.group_id
      where g.name = any(${filter.group}) or g.id::text = any(${filter.group}))`);
  if (filter.role !== undefined)
    where.push(
      sql`n.id in (select x.node_id from noderole x where x.role_id = ${refsTo('role', filter.role)})`,
    );
  if (filter.noderoleState !== undefined) where.push(has(filter.noderoleState));
  return where;
};

const COLUMNS = sql`n.id, n.name, n.description, n.admin, n.alive, n.alive_reason as "aliveReason",
  n.alive_changed_at as "aliveChangedAt", n.available, n.bootenv, n.deployment_id as "deploymentId",
  n.boot_id as "bootId", n.boot_epoch as "bootEpoch", n.labels, n.discovered_at as "discoveredAt",
  n.system_uuid as "systemUuid", n.serial, n.macs, n.revision, n.created_at as "createdAt", n.updated_at as "updatedAt"`;

const LARGE = sql`, n.hint, n.discovery`;

const DERIVED = sql`${ROLLUP} as rollup,
  array(select g.name from node_group_member m join node_group g on g.id = m.group_id where m.node_id = n.id order by g.name) as groups,
  (select p.last_seen_at from node_presence p where p.node_id = n.id) as "lastSeenAt"`;

export interface NodeListWish extends PageWish {
  readonly filter: NodeListFilter;
  readonly sort?: NodeSort | `-${NodeSort}` | undefined;
  /** Hints and facts too: they can be large. */
  readonly large?: boolean;
}

export const listNodes = async (db: Db | Tx, wish: NodeListWish): Promise<Page<NodeListItem>> => {
  const sort = wish.sort ?? 'name';
  const descending = sort.startsWith('-');
  const key = sort.replace(/^-/, '') as NodeSort;
  const { column, type } = SORTS[key];
  const limit = wish.limit ?? DEFAULT_LIMIT;
  const from = decodeCursor(`node ${sort}`, wish.cursor);
  const where = nodeConditions(wish.filter);
  if (from !== undefined)
    where.push(
      sql`(${column}, n.id) ${sql.raw(descending ? '<' : '>')} (${from.value}::${sql.raw(type)}, ${from.id})`,
    );
  const direction = sql.raw(descending ? 'desc' : 'asc');
  const { rows } = await sql<NodeListItem & { readonly sortValue: string }>`
    with page as materialized (
      select n.id, ${column} as value, d.name as deployment
      from node n join deployment d on d.id = n.deployment_id
      where ${sql.join(where, sql` and `)}
      order by ${column} ${direction}, n.id ${direction} limit ${limit + 1}
    )
    select ${COLUMNS}${wish.large === true ? LARGE : sql``}, page.deployment, page.value::text as "sortValue", ${DERIVED}
    from page join node n on n.id = page.id
    order by page.value ${direction}, n.id ${direction}`.execute(db);
  const page = pageFrom(rows, { limit, sort: `node ${sort}`, valueOf: (row) => row.sortValue });
  return { ...page, items: page.items.map(({ sortValue: _value, ...item }) => item) };
};

export const countNodes = async (db: Db | Tx, filter: NodeListFilter): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from node n where ${sql.join(nodeConditions(filter), sql` and `)}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
};

/** One node as the API shows it. */
export const readNodeView = async (
  db: Db | Tx,
  id: number,
): Promise<Required<NodeListItem> | undefined> => {
  const { rows } = await sql<Required<NodeListItem>>`
    select ${COLUMNS}${LARGE}, d.name as deployment, ${DERIVED}
    from node n join deployment d on d.id = n.deployment_id where n.id = ${id}`.execute(db);
  return rows[0];
};
