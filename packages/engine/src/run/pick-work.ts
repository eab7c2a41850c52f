/**
 * The first half of a claim: lock idle lanes, then look again. The look is a statement of its own on
 * purpose: the snapshot of the locking statement is older than its locks, and testing in it let 624
 * of 600 tasks overlap in a trial. Noderoles are taken with SKIP LOCKED, so a claim holds lanes but
 * never waits for a noderole; whoever holds a noderole may wait for a lane. That order cannot deadlock.
 */
import type { JsonObject, Lane, RunKind } from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../db/open.ts';

interface PickedRole {
  readonly roleRevision: number;
  readonly roleName: string;
  readonly jig: string;
  readonly jigActive: boolean;
  readonly destructive: boolean;
  readonly reboots: boolean;
  readonly deadlineSeconds: number;
}

interface PickedDeployment {
  readonly deploymentName: string;
  readonly paused: boolean;
}

export interface Pick extends PickedRole, PickedDeployment {
  readonly nodeId: number;
  readonly lane: Lane;
  readonly noderoleId: number;
  /** A queued run (refresh, teardown) that is to start; null = the noderole is in todo. */
  readonly queuedRun: number | null;
  readonly kind: RunKind;
  readonly state: string;
  readonly roleId: number;
  readonly deploymentId: number;
  readonly nodeName: string;
  readonly admin: boolean;
  readonly bootId: string | null;
  readonly bootEpoch: number;
  readonly cause: string;
  readonly failures: number;
  /** What its attributes are made of, where there is any: read here, so that a claim reads its rows once. */
  readonly data: JsonObject | null;
  readonly wall: JsonObject | null;
  readonly hint: JsonObject | null;
}

export interface LockedLane {
  readonly node_id: number;
  readonly lane: Lane;
  /** Queued runs (refresh, teardown) on it: most lanes have none, and are looked at more cheaply. */
  readonly queued: number;
  /** The only thing ready on it, if that is known. */
  readonly next: number | null;
}

/** Reads the partial index node_lane_claimable in its own order: cost is what is taken, not what rests. */
export const lockLanes = async (tx: Tx, limit: number): Promise<readonly LockedLane[]> => {
  const { rows } = await sql<LockedLane>`
    select node_id, lane, queued, case when ready = 1 and queued = 0 then next_noderole end as next from node_lane
    where open and ready > 0 and not busy
    order by priority desc, ready_since
    limit ${limit} for update skip locked`.execute(tx);
  return rows;
};

const unnestLanes = (lanes: readonly LockedLane[]) =>
  sql`unnest(${lanes.map((lane) => lane.node_id)}::bigint[], ${lanes.map((lane) => lane.lane)}::text[]) as l(node_id, lane)`;

/** The best todo of a lane, among the noderoles of its node: no index knows the states, so that changing them is cheap. */
const BEST_TODO = sql`
  select w.id, w.priority, w.state_since from noderole w
  where w.node_id = l.node_id and w.lane = l.lane and w.state = 'todo' and w.holds = '{}'
  order by w.priority desc, w.cohort, w.id limit 1 for update skip locked`;

const chooseTodo = (lanes: readonly LockedLane[]) => sql`
  chosen as materialized (
    select l.node_id, l.lane, null::bigint as queued_run, 'run'::text as kind, t.id as noderole_id, ''::text as queued_cause
    from ${unnestLanes(lanes)} cross join lateral (${BEST_TODO}) t
  )`;

/** A queued run goes first if its noderole matters more, or as much and it has waited longer. */
const chooseEither = (lanes: readonly LockedLane[]) => sql`
  found as materialized (
    select l.node_id, l.lane, t.id as todo, t.priority, t.state_since, q.id as queued, q.kind, q.noderole_id as refreshes, q.cause, q.created_at
    from ${unnestLanes(lanes)}
    left join lateral (${BEST_TODO}) t on true
    left join lateral (
      select r.id, r.kind, r.noderole_id, r.cause, r.created_at from run r join noderole h on h.id = r.noderole_id
      where r.node_id = l.node_id and r.lane = l.lane and r.status = 'queued'
      order by r.id limit 1 for update skip locked
    ) q on true
  ), judged as (
    select f.*, f.queued is not null
      and (f.todo is null or h.priority > f.priority or (h.priority = f.priority and f.created_at < f.state_since)) as first
    from found f left join noderole h on h.id = f.refreshes
  ), chosen as (
    select node_id, lane, queued as queued_run, kind, refreshes as noderole_id, cause as queued_cause from judged where first
    union all select node_id, lane, null, 'run', todo, '' from judged where not first and todo is not null
  )`;

/** The one thing that is ready, if it still is: by its number, and not among all noderoles of the node. */
const chooseKnown = (lanes: readonly LockedLane[]) => sql`
  chosen as materialized (
    select w.node_id, w.lane, null::bigint as queued_run, 'run'::text as kind, w.id as noderole_id, ''::text as queued_cause
    from unnest(${lanes.map((lane) => lane.next)}::bigint[], ${lanes.map((lane) => lane.node_id)}::bigint[],
      ${lanes.map((lane) => lane.lane)}::text[]) as l(id, node_id, lane)
    join noderole w on w.id = l.id and w.node_id = l.node_id and w.lane = l.lane
    where w.state = 'todo' and w.holds = '{}' for update of w skip locked
  )`;

type Chosen = Omit<Pick, keyof PickedRole | keyof PickedDeployment>;

const readChosen = async (tx: Tx, chosen: RawBuilder<unknown>): Promise<readonly Chosen[]> => {
  const { rows } = await sql<Chosen>`
    with ${chosen}
    select c.node_id as "nodeId", c.lane, c.noderole_id as "noderoleId", c.queued_run as "queuedRun", c.kind,
           w.state, w.role_id as "roleId", w.deployment_id as "deploymentId",
           n.name as "nodeName", n.admin, n.boot_id as "bootId", n.boot_epoch as "bootEpoch",
           coalesce(nullif(c.queued_cause, ''), w.cause) as cause, w.failures,
           nullif(w.data, '{}') as data, nullif(w.wall, '{}') as wall, nullif(n.hint, '{}') as hint
    from chosen c
    join noderole w on w.id = c.noderole_id
    join node_lane nl on nl.node_id = c.node_id and nl.lane = c.lane and nl.open and nl.ready > 0 and not nl.busy
    join node n on n.id = c.node_id and n.alive and n.available and n.deleted_at is null`.execute(
    tx,
  );
  return rows;
};

/** Roles and deployments are few in a batch of hundreds: read once each, and not with every row. */
const readRoles = async (
  tx: Tx,
  ids: readonly number[],
): Promise<ReadonlyMap<number, PickedRole>> => {
  const { rows } = await sql<PickedRole & { roleId: number }>`
    select r.id as "roleId", r.revision as "roleRevision", r.name as "roleName", r.jig, j.active as "jigActive",
           r.destructive, r.reboots, r.deadline_seconds as "deadlineSeconds"
    from role r join jig j on j.name = r.jig where r.id = any(${ids}::bigint[])`.execute(tx);
  return new Map(rows.map((row) => [row.roleId, row]));
};

const readDeployments = async (
  tx: Tx,
  ids: readonly number[],
): Promise<ReadonlyMap<number, PickedDeployment>> => {
  const { rows } = await sql<PickedDeployment & { deploymentId: number }>`
    with recursive paused as (
      select id from deployment where paused
      union select d.id from deployment d join paused p on d.parent_id = p.id
    )
    select d.id as "deploymentId", d.name as "deploymentName", (p.id is not null) as paused
    from deployment d left join paused p on p.id = d.id where d.id = any(${ids}::bigint[])`.execute(
    tx,
  );
  return new Map(rows.map((row) => [row.deploymentId, row]));
};

const withRoles = async (tx: Tx, chosen: readonly Chosen[]): Promise<readonly Pick[]> => {
  if (chosen.length === 0) return [];
  const roles = await readRoles(tx, [...new Set(chosen.map((row) => row.roleId))]);
  const deployments = await readDeployments(tx, [
    ...new Set(chosen.map((row) => row.deploymentId)),
  ]);
  return chosen.flatMap((row) => {
    const role = roles.get(row.roleId);
    const deployment = deployments.get(row.deploymentId);
    return role && deployment ? [{ ...row, ...role, ...deployment }] : [];
  });
};

export const pickWork = async (tx: Tx, lanes: readonly LockedLane[]): Promise<readonly Pick[]> => {
  const hinted = lanes.filter((lane) => lane.next !== null);
  const known = hinted.length > 0 ? await readChosen(tx, chooseKnown(hinted)) : [];
  const found =
    known.length === 0 ? new Set<number>() : new Set(known.map((pick) => pick.noderoleId));
  const rest = lanes.filter((lane) => lane.next === null || !found.has(lane.next));
  const plain = rest.filter((lane) => lane.queued === 0);
  const mixed = rest.filter((lane) => lane.queued !== 0);
  return withRoles(tx, [
    ...known,
    ...(plain.length > 0 ? await readChosen(tx, chooseTodo(plain)) : []),
    ...(mixed.length > 0 ? await readChosen(tx, chooseEither(mixed)) : []),
  ]);
};
