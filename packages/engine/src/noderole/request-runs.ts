/**
 * Asks for noderoles to run again: active and error ones go to todo, or to blocked under a parent
 * that is not active; one that is under way is looked at again when it ends; what waits already is
 * left. A destructive one that has run is never re-run by this: it becomes drifted. Children that
 * were about to start wait for it; active ones stay.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { CAUSE_LIMIT } from '../run/decide-ending.ts';
import { markDescendants, unmarkDescendants } from './mark-descendants.ts';

export interface RequestRuns {
  readonly noderoleIds: readonly number[];
  readonly cause: string;
  /** A person asked: no loop, so it is not counted as one. */
  readonly actor?: string;
  /** Only with a consent that is still to be used. */
  readonly destructiveToo?: readonly number[];
}

export interface Requested {
  readonly requested: readonly number[];
  readonly drifted: readonly number[];
  readonly looping: readonly number[];
}

interface Row {
  readonly id: number;
  readonly state: string;
  readonly pending: number;
  readonly destructive: boolean;
  readonly removing: boolean;
  readonly cause: string;
  readonly cause_count: number;
  readonly rested: boolean;
}

const lockWithChildren = async (tx: Tx, ids: readonly number[]): Promise<readonly Row[]> => {
  await sql`
    select from noderole where id in (
      select unnest(${[...ids]}::bigint[]) union select child_id from edge where parent_id = any(${[...ids]}::bigint[]) and not soft)
    order by id for update`.execute(tx);
  const { rows } = await sql<Row>`
    select w.id, w.state, w.pending, r.destructive, w.removing, w.cause, w.cause_count,
           w.state_since < now() - interval '10 minutes' as rested
    from noderole w join role r on r.id = w.role_id where w.id = any(${[...ids]}::bigint[]) order by w.id`.execute(
    tx,
  );
  return rows;
};

/** These left active: each child has one more parent to wait for; those about to start wait, active ones stay. */
export const deactivateChildren = async (tx: Tx, parents: readonly number[]): Promise<void> => {
  if (parents.length === 0) return;
  await sql`
    update noderole c set pending = c.pending + e.n,
      state = case when c.state = 'todo' and not c.removing then 'blocked' else c.state end,
      state_since = case when c.state = 'todo' and not c.removing then now() else c.state_since end
    from (select child_id, count(*)::int as n from edge where parent_id = any(${[...parents]}::bigint[]) and not soft group by child_id) e
    where c.id = e.child_id`.execute(tx);
};

const loops = (row: Row, { cause, actor }: RequestRuns): boolean =>
  actor === undefined && !row.rested && row.cause === cause && row.cause_count >= CAUSE_LIMIT;

export const requestRuns = async (tx: Tx, request: RequestRuns): Promise<Requested> => {
  const { noderoleIds, cause, actor } = request;
  if (noderoleIds.length === 0) return { requested: [], drifted: [], looping: [] };
  const rows = await lockWithChildren(tx, noderoleIds);
  const consented = new Set(request.destructiveToo ?? []);
  const resting = rows.filter(
    (row) => (row.state === 'active' || row.state === 'error') && !row.removing,
  );
  const may = resting.filter((row) => !row.destructive || consented.has(row.id));
  const drifted = resting.filter(
    (row) => row.destructive && row.state === 'active' && !consented.has(row.id),
  );
  const looping = may.filter((row) => loops(row, request));
  const going = may.filter((row) => !loops(row, request));
  const underWay = rows.filter((row) => row.state === 'transition');
  if (going.length > 0)
    await sql`
      update noderole w set state = case when w.pending > 0 then 'blocked' else 'todo' end, state_since = now(), cause = ${cause},
        cause_count = case when ${actor !== undefined} or w.cause <> ${cause} or w.state_since < now() - interval '10 minutes' then 1 else w.cause_count + 1 end,
        blocked_by = case when w.pending > 0 then coalesce(w.degraded_by, w.blocked_by) end, degraded_by = null, drifted = false, drift_reason = null,
        reason = case when w.pending > 0 then w.reason else '' end,
        failures = case when ${actor !== undefined} then 0 else w.failures end,
        holds = array_remove(w.holds, 'backoff'), not_before = null
      where w.id = any(${going.map((row) => row.id)}::bigint[])`.execute(tx);
  if (looping.length > 0)
    await sql`
      update noderole w set state = 'error', state_since = now(), failures = w.failures + 1, degraded_by = null,
        reason = ${`re-run ${CAUSE_LIMIT} times in a row by one cause: ${cause}`}
      where w.id = any(${looping.map((row) => row.id)}::bigint[])`.execute(tx);
  if (drifted.length > 0)
    await sql`
      update noderole set drifted = true, drift_reason = ${cause}, revision = revision + 1
      where id = any(${drifted.map((row) => row.id)}::bigint[])`.execute(tx);
  if (underWay.length > 0)
    await sql`update noderole set stale = true where id = any(${underWay.map((row) => row.id)}::bigint[])`.execute(
      tx,
    );
  await deactivateChildren(
    tx,
    may.filter((row) => row.state === 'active').map((row) => row.id),
  );
  const failed = going.filter((row) => row.state === 'error').map((row) => row.id);
  if (failed.length > 0) await unmarkDescendants(tx, failed);
  if (looping.length > 0)
    await markDescendants(
      tx,
      looping.map((row) => row.id),
    );
  return {
    requested: going.map((row) => row.id),
    drifted: drifted.map((row) => row.id),
    looping: looping.map((row) => row.id),
  };
};
