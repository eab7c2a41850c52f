/**
 * Reads everything a plan is made from, makes it (core decides), and records what was read, by
 * revision. Reads only: the commit calls it again under its locks.
 */
import {
  hashReadSet,
  inputsHold,
  makePlan,
  readKey,
  sameJson,
  type Bound,
  type Catalogue,
  type Disk,
  type JsonObject,
  type JsonValue,
  type PlanItem,
  type PlanResult,
  type ReadSet,
  type Standing,
} from '@hostwright/core';
import { sql } from 'kysely';
import { sha256 } from '../attribs/digest.ts';
import { resolveInputs } from '../attribs/resolve-inputs.ts';
import { loadBoard, type LoadedBoard } from '../binding/load-board.ts';
import type { Db, Tx } from '../db/open.ts';
import { takeAdvice, type PlanAdviser, type PlanEffect } from './advise.ts';
import { findAffected } from './find-affected.ts';
import { readNeededBy, readStanding } from './read-standing.ts';
import type { SnapshotRecord } from './read.ts';

export interface LoadedPlan {
  readonly loaded: LoadedBoard;
  readonly result: PlanResult;
  /** Noderoles of deployments below that would run again. */
  readonly rerunBelow: readonly PlanItem[];
  /** Noderoles whose inputs have to be looked at again at commit. */
  readonly affected: readonly number[];
  readonly data: ReadonlyMap<Bound, JsonObject>;
  readonly reasons: ReadonlyMap<Bound, string>;
  readonly readSet: ReadSet;
  readonly hash: string;
  readonly effects: readonly PlanEffect[];
  /** Keys of destructive items whose disks are known exactly. */
  readonly exact: ReadonlySet<string>;
}

const asText = (value: JsonValue | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** Disks as the agent reports them; what cannot be read is left out, never guessed. */
const asDisks = (facts: JsonValue | undefined): Disk[] =>
  !Array.isArray(facts)
    ? []
    : facts.flatMap((disk) => {
        if (typeof disk !== 'object' || disk === null || Array.isArray(disk)) return [];
        const name = asText(disk['name']);
        const bytes = disk['size_bytes'] ?? disk['bytes'] ?? disk['size'];
        return name === null
          ? []
          : [
              {
                name,
                serial: asText(disk['serial']),
                bytes: typeof bytes === 'number' ? bytes : null,
              },
            ];
      });

const readDisks = async (
  db: Db | Tx,
  catalogue: Catalogue,
  own: LoadedBoard['own'],
): Promise<Map<number, Disk[]>> => {
  const ids = own
    .filter(({ row }) => catalogue.byId.get(row.roleId)?.flags.has('destructive') === true)
    .map(({ row }) => row.nodeId);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: number; disks: JsonValue }>`
    select id, discovery -> 'disks' as disks from node where id = any(${ids}::bigint[])`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.id, asDisks(row.disks)]));
};

/** A cluster that keeps another member still serves its children. */
const stillServed = (
  neededBy: ReadonlyMap<number, readonly string[]>,
  standing: readonly Standing[],
  loaded: LoadedBoard,
): Map<number, readonly string[]> => {
  const own = loaded.own;
  const byId = new Map(standing.map((noderole) => [noderole.id, noderole]));
  return new Map(
    [...neededBy].filter(([id]) => {
      const noderole = byId.get(id);
      if (noderole === undefined) return false;
      const role = loaded.board.catalogue.byId.get(noderole.roleId);
      return !(
        role?.flags.has('cluster') === true &&
        own.some(({ row }) => row.roleId === noderole.roleId && row.nodeId !== noderole.nodeId)
      );
    }),
  );
};

const readMoved = async (
  db: Db | Tx,
  snapshot: SnapshotRecord,
  affected: readonly number[],
): Promise<{ moved: Set<number>; below: PlanItem[] }> => {
  const moved = new Set<number>();
  const below: PlanItem[] = [];
  if (affected.length === 0) return { moved, below };
  const { rows } = await sql<{
    id: number;
    roleId: number;
    nodeId: number;
    role: string;
    node: string;
    deployment_id: number;
    input_hash: string;
  }>`
    select w.id, w.role_id as "roleId", w.node_id as "nodeId", r.name as role, n.name as node, w.deployment_id, w.input_hash
    from noderole w join role r on r.id = w.role_id join node n on n.id = w.node_id
    where w.id = any(${[...affected]}::bigint[]) and w.input_hash is not null and w.state = 'active' and not w.removing
    order by w.id`.execute(db);
  const inputs = await resolveInputs(
    db,
    rows.map((row) => row.id),
    { proposed: { deploymentId: snapshot.deploymentId, revision: snapshot.revision } },
  );
  for (const { id, role, node, roleId, nodeId, deployment_id, input_hash } of rows) {
    if (inputsHold(input_hash, inputs.get(id)?.inputHash ?? '')) continue;
    if (deployment_id === snapshot.deploymentId) moved.add(id);
    else below.push({ role, node, roleId, nodeId, noderoleId: id });
  }
  return { moved, below };
};

const readRevisions = async (
  db: Db | Tx,
  options: {
    readonly nodeIds: readonly number[];
    readonly roleIds: readonly number[];
    readonly deploymentIds: readonly number[];
  },
) => {
  const { rows } = await sql<{
    kind: 'node' | 'role' | 'deployment';
    name: string;
    revision: string;
  }>`
    select 'node' as kind, name, plan_revision::text as revision from node where id = any(${[...options.nodeIds]}::bigint[])
    union all
    select 'role', r.name, r.revision || '.' || b.revision from role r join barclamp b on b.id = r.barclamp_id
      where r.id = any(${[...options.roleIds]}::bigint[])
    union all
    select 'deployment', d.name, concat_ws('.', coalesce(d.parent_id, 0), coalesce((
        select max(x.id) from deployment_data x where x.deployment_id = d.id
          and x.added_revision <= coalesce((select max(s.revision) from snapshot s where s.deployment_id = d.id and s.state <> 'proposed'), 0)
          and (x.removed_revision is null or x.removed_revision > coalesce((select max(s.revision) from snapshot s where s.deployment_id = d.id and s.state <> 'proposed'), 0))), 0))
      from deployment d where d.id = any(${[...options.deploymentIds]}::bigint[])`.execute(db);
  return rows;
};

const buildReadSet = async (
  db: Db | Tx,
  snapshot: SnapshotRecord,
  { loaded, result }: { readonly loaded: LoadedBoard; readonly result: PlanResult },
): Promise<ReadSet> => {
  const { board, elsewhere } = loaded;
  const touched = new Set(
    [
      ...result.add,
      ...result.change,
      ...result.rerun,
      ...result.teardown,
      ...result.destructive,
    ].map((item) => item.nodeId),
  );
  const readSet: Record<string, string> = {
    [readKey('proposal', snapshot.deployment)]: `${snapshot.revision}.${snapshot.edits}`,
  };
  const revisions = await readRevisions(db, {
    nodeIds: [...touched],
    roleIds: [...new Set(result.items.map((item) => item.bound.roleId))],
    deploymentIds: loaded.chain.map((link) => link.id),
  });
  for (const { kind, name, revision } of revisions) readSet[readKey(kind, name)] = revision;
  const nameOf = (nodeId: number) => board.nodes.get(nodeId)?.name ?? String(nodeId);
  const byNode = new Map<number, number[]>();
  for (const bound of elsewhere.keys()) {
    if (!touched.has(bound.nodeId)) continue;
    const list = byNode.get(bound.nodeId);
    if (list === undefined) byNode.set(bound.nodeId, [bound.roleId]);
    else list.push(bound.roleId);
  }
  for (const [nodeId, roles] of byNode)
    readSet[readKey('bound elsewhere', nameOf(nodeId))] = roles.toSorted((a, b) => a - b).join(' ');
  for (const item of result.items)
    for (const parent of item.hard) {
      const id = elsewhere.get(parent)?.id;
      if (id === undefined || parent.nodeId === item.bound.nodeId) continue;
      const role = board.catalogue.byId.get(parent.roleId)?.name ?? '';
      readSet[readKey('leans on', `${role}@${nameOf(parent.nodeId)}`)] = String(id);
    }
  return readSet;
};

export const loadPlan = async (
  db: Db | Tx,
  snapshot: SnapshotRecord,
  advisers: readonly PlanAdviser[] = [],
): Promise<LoadedPlan> => {
  const standing = await readStanding(db, snapshot);
  const loaded = await loadBoard(db, {
    deploymentId: snapshot.deploymentId,
    nodeIds: 'all',
    roleIds: [],
    alsoNodes: new Set(standing.map((noderole) => noderole.nodeId)),
  });
  const { catalogue } = loaded.board;
  const data = new Map<Bound, JsonObject>();
  const reasons = new Map<Bound, string>();
  for (const { bound, row } of loaded.own) {
    if (row.data !== null) data.set(bound, row.data);
    if (row.reason !== null) reasons.set(bound, row.reason);
  }
  const standingData = new Map(standing.map((s) => [`${s.roleId}@${s.nodeId}`, s]));
  const ownData = loaded.own.flatMap(({ row }) => {
    const noderole = standingData.get(`${row.roleId}@${row.nodeId}`);
    return noderole === undefined || sameJson(row.data ?? {}, noderole.data ?? {})
      ? []
      : [noderole.id];
  });
  const affected =
    standing.length === 0 && loaded.board.below.size === 0
      ? []
      : await findAffected(db, { catalogue, snapshot, ownData });
  const { moved, below } = await readMoved(db, snapshot, affected);
  const neededBy =
    standing.length === 0
      ? new Map<number, readonly string[]>()
      : stillServed(await readNeededBy(db, snapshot.deploymentId), standing, loaded);
  const result = makePlan({
    board: loaded.board,
    operator: loaded.own.map(({ bound }) => bound).filter((bound) => bound.origin === 'operator'),
    data,
    reasons,
    standing,
    elsewhere: loaded.elsewhere,
    inputsMoved: moved,
    neededBy,
    disks: await readDisks(db, catalogue, loaded.own),
  });
  const advised = await takeAdvice(db, { snapshot, result }, advisers);
  const readSet = {
    ...(await buildReadSet(db, snapshot, { loaded, result })),
    ...advised.readSet,
  };
  return {
    loaded,
    result: { ...result, destructive: advised.destructive },
    effects: advised.effects,
    exact: advised.exact,
    rerunBelow: below,
    affected,
    data,
    reasons,
    readSet,
    hash: hashReadSet(readSet, sha256),
  };
};
