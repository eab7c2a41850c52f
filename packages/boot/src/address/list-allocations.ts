/** Addresses in use, reserved or in quarantine, in the order of the addresses. */
import { HostwrightError } from '@hostwright/core';
import {
  decodeCursor,
  encodeCursor,
  needNode,
  type Db,
  type Page,
  type PageWish,
  type Tx,
} from '@hostwright/engine';
import { sql, type RawBuilder } from 'kysely';
import { readNameFilters } from '../name/read-filters.ts';
import { renderNames, type NameFilter } from '../name/render-names.ts';
import { isAddress } from '../valid.ts';
import { needNetwork, needRange } from './view.ts';

export type AllocationState = 'held' | 'reserved' | 'quarantined';

export interface AllocationView {
  readonly id: number;
  readonly address: string;
  readonly networkId: number;
  readonly network: string;
  readonly rangeId: number;
  readonly range: string;
  readonly nodeId: number | null;
  readonly node: string | null;
  readonly state: AllocationState;
  readonly note: string;
  readonly names: readonly string[];
  readonly createdAt: Date;
  readonly releasedAt: Date | null;
  readonly quarantineUntil: Date | null;
}

interface Row extends Omit<AllocationView, 'names'> {
  readonly category: string;
  readonly domain: string;
  readonly mac: string | null;
  readonly deployment: string | null;
  readonly labels: Record<string, unknown> | null;
  readonly roles: string[];
}

const STATE = sql`case when a.released_at is not null then 'quarantined' when a.node_id is null then 'reserved' else 'held' end`;

const select = (where: readonly RawBuilder<unknown>[], tail: RawBuilder<unknown>) => sql<Row>`
  select a.id, host(a.address) as address, w.id as "networkId", w.name as network, r.id as "rangeId", r.name as range,
    n.id as "nodeId", n.name as node, ${STATE} as state, a.note, a.created_at as "createdAt", a.released_at as "releasedAt",
    a.quarantine_until as "quarantineUntil", w.category, w.domain, n.macs[1] as mac, d.name as deployment, n.labels,
    array(select role.name from noderole nr join role on role.id = nr.role_id where nr.node_id = n.id) as roles
  from allocation a join network_range r on r.id = a.range_id join network w on w.id = r.network_id
  left join node n on n.id = a.node_id left join deployment d on d.id = n.deployment_id
  where (a.quarantine_until is null or a.quarantine_until > now()) and ${sql.join([sql`true`, ...where], sql` and `)} ${tail}`;

const view = (row: Row, filters: readonly NameFilter[]): AllocationView => {
  const { category, domain, mac, deployment, labels, roles, ...rest } = row;
  const { names } =
    row.state === 'held' && row.nodeId !== null
      ? renderNames(filters, {
          node: {
            id: row.nodeId,
            name: row.node ?? '',
            mac: mac ?? '',
            deployment: deployment ?? '',
            roles,
            labels: labels ?? {},
          },
          network: { name: row.network, category, domain },
          range: { name: row.range },
        })
      : { names: [] };
  return { ...rest, names };
};

export interface AllocationFilter {
  readonly network?: string | undefined;
  readonly range?: string | undefined;
  readonly node?: string | undefined;
  readonly state?: readonly AllocationState[] | undefined;
  readonly q?: string | undefined;
}

const conditions = async (
  db: Db | Tx,
  filter: AllocationFilter,
): Promise<RawBuilder<unknown>[]> => {
  const where: RawBuilder<unknown>[] = [];
  if (filter.network !== undefined) {
    const network = await needNetwork(db, filter.network);
    where.push(
      filter.range === undefined
        ? sql`w.id = ${network.id}`
        : sql`r.id = ${needRange(network, filter.range).id}`,
    );
  } else if (filter.range !== undefined) where.push(sql`r.name = ${filter.range}`);
  if (filter.node !== undefined)
    where.push(sql`a.node_id = ${(await needNode(db, filter.node)).id}`);
  if (filter.state !== undefined) where.push(sql`${STATE} = any(${[...filter.state]}::text[])`);
  if (filter.q !== undefined && filter.q !== '')
    where.push(
      sql`(starts_with(host(a.address), ${filter.q}) or strpos(coalesce(n.name, ''), ${filter.q}) > 0 or strpos(a.note, ${filter.q}) > 0)`,
    );
  return where;
};

const badCursor = () =>
  new HostwrightError('bad_input', {
    refusals: [{ code: 'bad_input', path: 'query/cursor', message: 'not a cursor of this list' }],
  });

export const listAllocations = async (
  db: Db | Tx,
  options: PageWish & { readonly filter: AllocationFilter },
): Promise<Page<AllocationView>> => {
  const limit = options.limit ?? 100;
  const where = await conditions(db, options.filter);
  const at = decodeCursor('address', options.cursor);
  if (at !== undefined) {
    const address = String(at.value);
    if (!isAddress(address)) throw badCursor();
    where.push(sql`a.address > ${address}::inet`);
  }
  const { rows } = await select(where, sql`order by a.address limit ${limit + 1}`).execute(db);
  const filters = await readNameFilters(db);
  const items = rows.slice(0, limit).map((row) => view(row, filters));
  const last = items.at(-1);
  return {
    items,
    next:
      rows.length > limit && last !== undefined
        ? encodeCursor('address', last.address, last.id)
        : null,
  };
};

export const needAllocation = async (db: Db | Tx, id: number): Promise<AllocationView> => {
  const { rows } = await select([sql`a.id = ${id}`], sql``).execute(db);
  const [row] = rows;
  if (row === undefined)
    throw new HostwrightError('not_found', { message: `there is no allocation ${id}` });
  return view(row, await readNameFilters(db));
};
