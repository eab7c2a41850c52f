/**
 * Reads the event log in commit order and says where an invariant of DESIGN was broken. It trusts
 * nothing but the events and, at the end, compares them with the tables they are about.
 */
import type { Database } from '@hostwright/engine';
import { sql } from 'kysely';

interface EventRow {
  readonly position: number;
  readonly id: number;
  readonly kind: string;
  readonly node_id: number | null;
  readonly noderole_id: number | null;
  readonly run_id: number | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

const LIVE = new Set(['running', 'waiting', 'cancelling']);

interface Live {
  readonly runId: number;
  readonly token: number;
}

const readEvents = async (database: Database): Promise<readonly EventRow[]> => {
  const { rows } = await sql<EventRow>`
    select b.position, e.id, e.kind, e.node_id, e.noderole_id, e.run_id, e.payload
    from event_record e join event_batch b on b.id = e.batch_id
    where e.kind in ('noderole.state', 'noderole.removed', 'run.status')
    order by b.position, e.id`.execute(database.db);
  return rows;
};

const readParents = async (database: Database): Promise<ReadonlyMap<number, readonly number[]>> => {
  const rows = await database.db.selectFrom('edge').selectAll().where('soft', '=', false).execute();
  const parents = new Map<number, number[]>();
  for (const edge of rows)
    parents.set(edge.child_id, [...(parents.get(edge.child_id) ?? []), edge.parent_id]);
  return parents;
};

/** Invariants 1 and 8: at most one live run per node and lane, and tokens only grow. */
const replayRuns = (events: readonly EventRow[]): string[] => {
  const wrong: string[] = [];
  const lanes = new Map<string, Live>();
  const status = new Map<number, string>();
  const tokens = new Map<number, number>();
  for (const event of events) {
    if (event.kind !== 'run.status' || event.run_id === null) continue;
    const { from, to, lane, token } = event.payload;
    const run = event.run_id;
    const at = `event ${event.position}.${event.id}: run ${run}`;
    const known = status.get(run) ?? null;
    if (known !== from)
      wrong.push(`${at} goes from ${String(from)}, but was ${String(known)} (invariant 3)`);
    status.set(run, String(to));
    const number = Number(token);
    if (number < (tokens.get(run) ?? 0))
      wrong.push(`${at} has token ${number}, older than ${String(tokens.get(run))} (invariant 8)`);
    tokens.set(run, number);
    const key = `${String(event.node_id)} ${String(lane)}`;
    const holder = lanes.get(key);
    if (LIVE.has(String(to))) {
      if (holder !== undefined && holder.runId !== run)
        wrong.push(`${at} is live on lane ${key} beside run ${holder.runId} (invariant 1)`);
      lanes.set(key, { runId: run, token: number });
    } else if (holder?.runId === run) lanes.delete(key);
  }
  for (const [key, holder] of lanes)
    wrong.push(`run ${holder.runId} never ended on lane ${key} (invariant 4)`);
  return wrong;
};

/** Invariants 2 and 3: unbroken chains of states; a run starts only under active parents. */
const replayStates = (
  events: readonly EventRow[],
  parents: ReadonlyMap<number, readonly number[]>,
) => {
  const wrong: string[] = [];
  const states = new Map<number, string>();
  for (const event of events) {
    const noderole = event.noderole_id;
    if (noderole === null || event.kind === 'run.status') continue;
    const at = `event ${event.position}.${event.id}: noderole ${noderole}`;
    const known = states.get(noderole) ?? null;
    if (known !== (event.payload['from'] ?? null)) {
      wrong.push(
        `${at} goes from ${String(event.payload['from'])}, but was ${String(known)} (invariant 3)`,
      );
    }
    if (event.kind === 'noderole.removed') {
      states.delete(noderole);
      continue;
    }
    const to = String(event.payload['to']);
    states.set(noderole, to);
    if (to !== 'transition') continue;
    for (const parent of parents.get(noderole) ?? []) {
      if (states.get(parent) !== 'active')
        wrong.push(
          `${at} started while its parent ${parent} was ${String(states.get(parent))} (invariant 2)`,
        );
    }
  }
  return { wrong, states };
};

export interface Verdict {
  readonly violations: readonly string[];
  readonly events: number;
  readonly runs: number;
}

export const checkInvariants = async (database: Database): Promise<Verdict> => {
  const events = await readEvents(database);
  const { wrong, states } = replayStates(events, await readParents(database));
  const violations = [...replayRuns(events), ...wrong];
  const noderoles = await database.db
    .selectFrom('noderole')
    .select(['id', 'state', 'pending'])
    .execute();
  for (const noderole of noderoles) {
    if (states.get(noderole.id) !== noderole.state) {
      violations.push(
        `noderole ${noderole.id} is ${noderole.state}, its last event says ${String(states.get(noderole.id))} (invariant 3)`,
      );
    }
  }
  const { rows: unplaced } = await sql<{
    n: number;
  }>`select count(*)::int as n from event_batch where position is null`.execute(database.db);
  if ((unplaced[0]?.n ?? 0) > 0)
    violations.push(`${String(unplaced[0]?.n)} event batches have no position (invariant 3)`);
  const { rows: adrift } = await sql<{ node_id: number; lane: string }>`
    select l.node_id, l.lane from node_lane l
    where l.ready <> (select count(*) from noderole n where n.node_id = l.node_id and n.lane = l.lane and n.state = 'todo' and n.holds = '{}')
                   + (select count(*) from run r where r.node_id = l.node_id and r.lane = l.lane and r.status = 'queued')
       or l.busy <> exists (select 1 from run r where r.node_id = l.node_id and r.lane = l.lane and r.status in ('running', 'waiting', 'cancelling'))`.execute(
    database.db,
  );
  for (const lane of adrift)
    violations.push(`the counters of node ${lane.node_id} lane ${lane.lane} do not match its rows`);
  const { rows: pending } = await sql<{ id: number }>`
    select n.id from noderole n
    where n.pending <> (select count(*) from edge e join noderole p on p.id = e.parent_id where e.child_id = n.id and not e.soft and p.state <> 'active')`.execute(
    database.db,
  );
  for (const row of pending) violations.push(`noderole ${row.id} counts its pending parents wrong`);
  const runs = new Set(events.flatMap((event) => (event.run_id === null ? [] : [event.run_id])))
    .size;
  return { violations, events: events.length, runs };
};
