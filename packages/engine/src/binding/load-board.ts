/**
 * Reads from the database the little world in which bindings are decided (core's board): what
 * stands on the nodes concerned, and the instances that could be leaned on, up the tree. Of a role
 * with thousands of instances only the two oldest are read, unless it is a cluster.
 */
import {
  createBoard,
  type Board,
  type BoardNode,
  type Bound,
  type Catalogue,
  type JsonObject,
  type NoderoleState,
  type Origin,
} from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { readBelow, readChain, type ChainLink } from '../deployment/read-chain.ts';
import { readCatalogue } from '../role/read-catalogue.ts';

export interface ElsewhereRow {
  readonly id: number;
  readonly cohort: number;
  readonly state: NoderoleState;
  readonly blockedBy: number | null;
}

export interface OwnRow {
  readonly roleId: number;
  readonly nodeId: number;
  readonly origin: Origin;
  readonly data: JsonObject | null;
  readonly reason: string | null;
}

export interface LoadedBoard {
  readonly board: Board;
  readonly chain: readonly ChainLink[];
  readonly own: readonly { readonly bound: Bound; readonly row: OwnRow }[];
  /** Noderoles of other deployments on the board. */
  readonly elsewhere: ReadonlyMap<Bound, ElsewhereRow>;
}

interface ElsewhereBoundRow extends ElsewhereRow {
  readonly roleId: number;
  readonly nodeId: number;
  readonly deploymentId: number;
}

/** Roles that could come into play when these are bound: themselves and all they need or follow. */
export const closure = (catalogue: Catalogue, roleIds: Iterable<number>): Set<number> => {
  const seen = new Set<number>(roleIds);
  for (const id of seen)
    for (const name of [
      ...(catalogue.needs.get(id) ?? []),
      ...(catalogue.byId.get(id)?.after ?? []),
    ])
      for (const role of catalogue.fulfil.get(name) ?? []) seen.add(role.id);
  return seen;
};

const readOwn = async (
  db: Db | Tx,
  deploymentId: number,
  nodeIds: readonly number[] | 'all',
  leanOn: readonly number[],
): Promise<OwnRow[]> => {
  const fields = sql`b.role_id as "roleId", b.node_id as "nodeId", b.origin, case when b.data = '{}' then null else b.data end as data,
      case when b.origin = 'required' then b.reason end as reason`;
  const { rows } =
    nodeIds === 'all'
      ? await sql<OwnRow>`
          select ${fields} from binding b join node n on n.id = b.node_id and n.deleted_at is null
          where b.deployment_id = ${deploymentId} and b.removed_revision is null
          order by b.node_id, b.role_id`.execute(db)
      : await sql<OwnRow>`
          select ${fields} from binding b
          where b.deployment_id = ${deploymentId} and b.node_id = any(${[...nodeIds]}::bigint[]) and b.removed_revision is null
          union
          select ${fields} from unnest(${[...leanOn]}::bigint[]) as wanted(role_id) join role r on r.id = wanted.role_id
          cross join lateral (
            select * from binding b where b.deployment_id = ${deploymentId} and b.role_id = r.id and b.removed_revision is null
            order by b.node_id limit case when r.cluster then null else 2 end) b`.execute(db);
  return rows;
};

const ELSEWHERE = sql.raw(
  'w.id, w.role_id as "roleId", w.node_id as "nodeId", w.deployment_id as "deploymentId", w.cohort, w.state, w.blocked_by as "blockedBy"',
);

export const readElsewhere = async (
  db: Db | Tx,
  options: {
    readonly deploymentId: number;
    readonly up: readonly number[];
    readonly nodeIds: readonly number[];
    readonly leanOn: readonly number[];
  },
): Promise<ElsewhereBoundRow[]> => {
  const { rows } = await sql<ElsewhereBoundRow>`
    select ${ELSEWHERE} from noderole w
    where w.node_id = any(${[...options.nodeIds]}::bigint[]) and w.deployment_id <> ${options.deploymentId} and not w.removing
    union
    select ${ELSEWHERE} from unnest(${[...options.leanOn]}::bigint[]) as wanted(role_id) join role r on r.id = wanted.role_id
    cross join unnest(${[...options.up]}::bigint[]) as d(id)
    cross join lateral (
      select * from noderole w where w.role_id = r.id and w.deployment_id = d.id and not w.removing
      order by w.node_id limit case when r.cluster then null else 1 end) w`.execute(db);
  return rows;
};

export const readBoardNodes = async (db: Db | Tx, ids: readonly number[]): Promise<BoardNode[]> => {
  const { rows } = await sql<BoardNode>`
    select id, name, admin, deployment_id as "deploymentId" from node
    where id = any(${[...ids]}::bigint[]) and deleted_at is null`.execute(db);
  return rows;
};

const readNames = async (db: Db | Tx, ids: readonly number[]): Promise<Map<number, string>> => {
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from deployment where id = any(${[...new Set(ids)]}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row.name]));
};

export interface LoadBoard {
  readonly deploymentId: number;
  /** 'all': every node the proposal binds. */
  readonly nodeIds: readonly number[] | 'all';
  /** Roles that are to be bound besides what stands. */
  readonly roleIds: readonly number[];
  /** Nodes that have to be known by name, though nothing is bound to them any more. */
  readonly alsoNodes?: Iterable<number>;
}

export const loadBoard = async (db: Db | Tx, options: LoadBoard): Promise<LoadedBoard> => {
  const catalogue = await readCatalogue(db);
  const chain = await readChain(db, options.deploymentId);
  const below = await readBelow(db, options.deploymentId);
  const mayLeanOn = (ids: Iterable<number>) =>
    [...closure(catalogue, ids)].filter((id) => {
      const role = catalogue.byId.get(id);
      return role !== undefined && !role.flags.has('implicit');
    });
  const own = await readOwn(
    db,
    options.deploymentId,
    options.nodeIds,
    options.nodeIds === 'all' ? [] : mayLeanOn(options.roleIds),
  );
  const nodeIds = new Set(own.map((row) => row.nodeId));
  if (options.nodeIds !== 'all') for (const id of options.nodeIds) nodeIds.add(id);
  const elsewhereRows = await readElsewhere(db, {
    deploymentId: options.deploymentId,
    up: chain.slice(1).map((link) => link.id),
    nodeIds: options.nodeIds === 'all' ? [...nodeIds] : options.nodeIds,
    leanOn: mayLeanOn(new Set([...options.roleIds, ...own.map((row) => row.roleId)])),
  });
  for (const row of elsewhereRows) nodeIds.add(row.nodeId);
  for (const id of options.alsoNodes ?? []) nodeIds.add(id);

  const ownBound = own.map((row) => ({
    row,
    bound: {
      roleId: row.roleId,
      nodeId: row.nodeId,
      deploymentId: options.deploymentId,
      origin: row.origin,
    } satisfies Bound,
  }));
  const elsewhere = new Map<Bound, ElsewhereRow>();
  for (const { id, cohort, state, blockedBy, ...at } of elsewhereRows)
    elsewhere.set({ ...at, origin: 'required' }, { id, cohort, state, blockedBy });
  const nodes = await readBoardNodes(db, [...nodeIds]);
  const board = createBoard({
    catalogue,
    chain,
    below,
    names: await readNames(db, [
      ...nodes.map((node) => node.deploymentId),
      ...elsewhereRows.map((row) => row.deploymentId),
    ]),
    nodes,
    // what stands elsewhere comes last, so that it is seen where both name the same place, and refused
    bound: [...ownBound.map(({ bound }) => bound), ...elsewhere.keys()],
  });
  return { board, chain, own: ownBound, elsewhere };
};
