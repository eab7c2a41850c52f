/** Noderoles for the API. By id, by cohort (the order of work) or by how long they are in their state. */
import { HostwrightError, type JsonObject, type Lane, type NoderoleState } from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { DEFAULT_LIMIT, decodeCursor, pageFrom, type Page, type PageWish } from '../page/cursor.ts';
import { refsTo } from '../page/list-by-id.ts';

export interface NoderoleView {
  readonly id: number;
  readonly deploymentId: number;
  readonly deployment: string;
  readonly nodeId: number;
  readonly node: string;
  readonly roleId: number;
  readonly role: string;
  readonly lane: Lane;
  readonly state: NoderoleState;
  readonly stateSince: Date;
  readonly snapshotId: number | null;
  readonly cohort: number;
  readonly priority: number;
  readonly pending: number;
  readonly holds: readonly string[];
  readonly notBefore: Date | null;
  readonly removing: boolean;
  readonly reason: string;
  readonly blockedBy: number | null;
  readonly degradedBy: number | null;
  readonly drifted: boolean;
  readonly driftReason: string | null;
  readonly stale: boolean;
  readonly destructive: boolean;
  readonly milestone: boolean;
  readonly data?: JsonObject;
  readonly wall?: JsonObject;
  readonly inputHash: string | null;
  readonly runId: number | null;
  readonly lastRunId: number | null;
  readonly runCount: number;
  readonly failures: number;
  readonly cause: string;
  readonly revision: number;
  readonly createdAt: Date;
}

export interface NoderoleFilter {
  readonly deployment?: readonly string[] | undefined;
  readonly node?: readonly string[] | undefined;
  readonly role?: readonly string[] | undefined;
  readonly state?: readonly NoderoleState[] | undefined;
  readonly snapshot?: number | undefined;
  readonly blockedBy?: number | undefined;
  readonly degraded?: boolean | undefined;
  readonly drifted?: boolean | undefined;
  readonly held?: boolean | undefined;
}

export type NoderoleSort = 'id' | 'cohort' | 'stateSince';

const COLUMNS = sql`nr.id, nr.deployment_id as "deploymentId", d.name as deployment, nr.node_id as "nodeId", n.name as node,
  nr.role_id as "roleId", r.name as role, nr.lane, nr.state, nr.state_since as "stateSince", nr.snapshot_id as "snapshotId",
  nr.cohort, nr.priority, nr.pending, nr.holds, nr.not_before as "notBefore", nr.removing, nr.reason,
  nr.blocked_by as "blockedBy", nr.degraded_by as "degradedBy", nr.drifted, nr.drift_reason as "driftReason", nr.stale,
  r.destructive, r.milestone, nr.input_hash as "inputHash", nr.run_id as "runId",
  (select max(x.id) from run x where x.node_id = nr.node_id and x.noderole_id = nr.id) as "lastRunId", nr.run_count as "runCount", nr.failures,
  nr.cause, nr.revision, nr.created_at as "createdAt"`;
const LARGE = sql`, nr.data, nr.wall`;
const FROM = sql`(noderole nr join node n on n.id = nr.node_id join role r on r.id = nr.role_id join deployment d on d.id = nr.deployment_id)`;

const conditions = (filter: NoderoleFilter): RawBuilder<unknown>[] => {
  const where: RawBuilder<unknown>[] = [];
  if (filter.deployment !== undefined)
    where.push(sql`nr.deployment_id = ${refsTo('deployment', filter.deployment)}`);
  if (filter.node !== undefined) where.push(sql`nr.node_id = ${refsTo('node', filter.node)}`);
  if (filter.role !== undefined) where.push(sql`nr.role_id = ${refsTo('role', filter.role)}`);
  if (filter.state !== undefined) {
    where.push(sql`nr.state in (${sql.join(filter.state.map((state) => sql.lit(state)))})`);
    if (!filter.state.includes('active'))
      where.push(sql`nr.id in (select noderole_id from unsettled)`); // few
  }
  if (filter.snapshot !== undefined) where.push(sql`nr.snapshot_id = ${filter.snapshot}`);
  if (filter.blockedBy !== undefined) where.push(sql`nr.blocked_by = ${filter.blockedBy}`);
  if (filter.degraded !== undefined)
    where.push(filter.degraded ? sql`nr.degraded_by is not null` : sql`nr.degraded_by is null`);
  if (filter.drifted !== undefined) where.push(sql`nr.drifted = ${filter.drifted}`);
  if (filter.held !== undefined)
    where.push(filter.held ? sql`nr.holds <> '{}'` : sql`nr.holds = '{}'`);
  return where;
};

const SORTS: Readonly<
  Record<NoderoleSort, { readonly column: RawBuilder<unknown>; readonly type: string }>
> = {
  id: { column: sql`nr.id`, type: 'bigint' },
  cohort: { column: sql`nr.cohort`, type: 'integer' },
  stateSince: { column: sql`nr.state_since`, type: 'timestamptz' },
};

export const listNoderoles = async (
  db: Db | Tx,
  wish: PageWish & {
    readonly filter: NoderoleFilter;
    readonly sort?: NoderoleSort | `-${NoderoleSort}` | undefined;
    readonly large?: boolean;
  },
): Promise<Page<NoderoleView>> => {
  const sort = wish.sort ?? 'id';
  const descending = sort.startsWith('-');
  const { column, type } = SORTS[sort.replace(/^-/, '') as NoderoleSort];
  const limit = wish.limit ?? DEFAULT_LIMIT;
  const from = decodeCursor(`noderole ${sort}`, wish.cursor);
  const where = [sql`true`, ...conditions(wish.filter)];
  if (from !== undefined)
    where.push(
      sql`(${column}, nr.id) ${sql.raw(descending ? '<' : '>')} (${from.value}::${sql.raw(type)}, ${from.id})`,
    );
  const direction = sql.raw(descending ? 'desc' : 'asc');
  const { rows } = await sql<NoderoleView & { readonly sortValue: string }>`
    with page as materialized (
      select nr.id, ${column} as value from noderole nr
      where ${sql.join(where, sql` and `)} order by ${column} ${direction}, nr.id ${direction} limit ${limit + 1}
    )
    select ${COLUMNS}${wish.large === true ? LARGE : sql``}, page.value::text as "sortValue"
    from page join ${FROM} on nr.id = page.id
    order by page.value ${direction}, nr.id ${direction}`.execute(db);
  const page = pageFrom(rows, { limit, sort: `noderole ${sort}`, valueOf: (row) => row.sortValue });
  return { ...page, items: page.items.map(({ sortValue: _value, ...item }) => item) };
};

export const readNoderoleView = async (
  db: Db | Tx,
  id: number,
): Promise<Required<NoderoleView>> => {
  const { rows } = await sql<Required<NoderoleView>>`
    select ${COLUMNS}${LARGE} from ${FROM} where nr.id = ${id}`.execute(db);
  if (rows[0] === undefined)
    throw new HostwrightError('not_found', { message: `there is no noderole ${id}` });
  return rows[0];
};

export interface Neighbour {
  readonly id: number;
  readonly node: string;
  readonly role: string;
  readonly state: NoderoleState;
  readonly soft: boolean;
}

export const listNeighbours = async (
  db: Db | Tx,
  id: number,
): Promise<{ readonly parents: readonly Neighbour[]; readonly children: readonly Neighbour[] }> => {
  const { rows } = await sql<Neighbour & { readonly parent: boolean }>`
    select nr.id, n.name as node, r.name as role, nr.state, e.soft, e.child_id = ${id} as parent
    from edge e join noderole nr on nr.id = case when e.child_id = ${id} then e.parent_id else e.child_id end
    join node n on n.id = nr.node_id join role r on r.id = nr.role_id
    where e.child_id = ${id} or e.parent_id = ${id}
    order by nr.cohort, nr.id limit 5000`.execute(db);
  const side = (parent: boolean) =>
    rows.filter((row) => row.parent === parent).map(({ parent: _side, ...row }) => row);
  return { parents: side(true), children: side(false) };
};
