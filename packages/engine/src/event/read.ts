/**
 * Reads events in order from a place on. A place is a position and an event within that position,
 * because one transaction may have written more events than a page holds.
 */
import type { JsonObject } from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { readFloor } from './floor.ts';

export interface Cursor {
  readonly position: number;
  readonly id: number;
}

/** The place before everything that is kept. */
export const START: Cursor = { position: 0, id: 0 };

export interface EventFilter {
  readonly deploymentIds?: readonly number[];
  readonly nodeIds?: readonly number[];
  readonly noderoleIds?: readonly number[];
  readonly runIds?: readonly number[];
  /** Exact kinds, or `node.*` for all of a subject. */
  readonly kinds?: readonly string[];
}

export interface EventRecord {
  readonly position: number;
  readonly id: number;
  readonly kind: string;
  readonly at: Date;
  readonly deploymentId: number | null;
  readonly nodeId: number | null;
  readonly noderoleId: number | null;
  readonly runId: number | null;
  readonly payload: JsonObject;
}

export interface EventPage {
  readonly events: readonly EventRecord[];
  /** Where to read on: past every event looked at, also those the filter left out. */
  readonly cursor: Cursor;
  readonly more: boolean;
  /** The place asked for is older than what is kept: events between it and this page are gone. */
  readonly lost: boolean;
}

/** Past every event of its position. */
const END = Number.MAX_SAFE_INTEGER;

const anyOf = (column: RawBuilder<unknown>, values: readonly unknown[] | undefined) =>
  values === undefined ? sql`` : sql` and ${column} = any(${values})`;

const condition = (filter: EventFilter) => {
  const exact = filter.kinds?.filter((kind) => !kind.endsWith('.*'));
  const subjects = filter.kinds
    ?.filter((kind) => kind.endsWith('.*'))
    .map((kind) => kind.slice(0, -2));
  const kinds =
    filter.kinds === undefined
      ? sql``
      : sql` and (e.kind = any(${exact}) or split_part(e.kind, '.', 1) = any(${subjects}))`;
  return sql`true${kinds}${anyOf(sql`e.deployment_id`, filter.deploymentIds)}${anyOf(
    sql`e.node_id`,
    filter.nodeIds,
  )}${anyOf(sql`e.noderole_id`, filter.noderoleIds)}${anyOf(sql`e.run_id`, filter.runIds)}`;
};

/** Events of one row of the table have ids from the row's on, and this is how many there may be. */
const EVENTS_PER_ROW = 4;

/**
 * The events of batch b after one of them, as a range of the index (batch_id, id). Written as
 * `batch_id = b.id ... order by id limit n` the planner, whose statistics know a few giant batches,
 * walked the primary key instead: 10 s for a page of small batches behind 100,000 events.
 */
const inBatch = (id: number) =>
  sql`(e.batch_id, e.row_id) > (b.id, ${Math.max(0, id - EVENTS_PER_ROW)}::bigint) and (e.batch_id, e.row_id) < (b.id + 1, 0) and e.id > ${id}::bigint`;

const IN_ORDER = sql`order by e.batch_id, e.row_id, e.step`;

const COLUMNS = sql`e.id, e.kind, e.at, e.deployment_id as "deploymentId", e.node_id as "nodeId",
  e.noderole_id as "noderoleId", e.run_id as "runId", e.payload`;

export const readEvents = async (
  db: Db | Tx,
  options: { readonly after: Cursor; readonly limit?: number; readonly filter?: EventFilter },
): Promise<EventPage> => {
  const { after } = options;
  const limit = options.limit ?? 500;
  const where = condition(options.filter ?? {});
  const floor = await readFloor(db);
  const lost = after.position > 0 && after.position < floor;
  // The rest of the batch the reader is in.
  const rest =
    after.id === END || after.position === 0
      ? []
      : (
          await sql<EventRecord>`
            select b.position, ${COLUMNS} from event_batch b cross join lateral (
              select * from event_record e where ${inBatch(after.id)} and ${where} ${IN_ORDER} limit ${limit + 1}
            ) e
            where b.position = ${after.position} order by e.id`.execute(db)
        ).rows;
  if (rest.length > limit) {
    const events = rest.slice(0, limit);
    return { events, cursor: placeOf(events.at(-1), after), more: true, lost };
  }
  const room = limit - rest.length;
  const { rows } = await sql<EventRow>`
    with batches as materialized (
      select id, position from event_batch where position > ${after.position} order by position limit ${limit}
    ), scan as (select max(position) as last, count(*)::int as batches from batches)
    select b.position, scan.last, scan.batches, ${COLUMNS}
    from batches b cross join scan left join lateral (
      select * from event_record e where ${inBatch(0)} and ${where} ${IN_ORDER} limit ${room + 1}
    ) e on true
    where e.id is not null or b.position = scan.last
    order by b.position, e.id limit ${room + 1}`.execute(db);
  const found = rows.filter((row) => row.id !== null).map(withoutScan);
  if (found.length > room) {
    const events = [...rest, ...found.slice(0, room)];
    return { events, cursor: placeOf(events.at(-1), after), more: true, lost };
  }
  const scan = rows[0];
  const cursor = { position: scan?.last ?? after.position, id: END };
  return {
    events: [...rest, ...found],
    cursor: cursor.position === 0 ? after : cursor,
    more: scan?.batches === limit,
    lost,
  };
};

type EventRow = EventRecord & { readonly last: number; readonly batches: number };

const withoutScan = ({ last: _last, batches: _batches, ...event }: EventRow): EventRecord => event;

const placeOf = (event: EventRecord | undefined, otherwise: Cursor): Cursor =>
  event === undefined ? otherwise : { position: event.position, id: event.id };

/** Where the newest placed event is: reading from here on gives only what comes. */
export const readHead = async (db: Db | Tx): Promise<Cursor> => {
  const { rows } = await sql<{ position: number | null }>`
    select max(position) as position from event_batch`.execute(db);
  const position = rows[0]?.position ?? (await readFloor(db));
  return position === 0 ? START : { position, id: END };
};
