/**
 * Of the work picked, what may not start: its deployment is paused, its jig is off, or a soft parent
 * has yet to run. A noderole gets a hold; a queued refresh is dropped and remembered as stale, so
 * that the end of the hold brings it back. Whatever is left may start.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import type { LockedLane, Pick } from './pick-work.ts';
import { recountLanes } from './recount-lanes.ts';

export type Hold =
  | 'paused'
  | 'jig'
  | 'order'
  | 'rolling'
  | 'halted'
  | 'backoff'
  | 'consent'
  | 'removing';

export const addHold = async (
  tx: Tx,
  options: { readonly noderoleIds: readonly number[]; readonly hold: Hold },
): Promise<void> => {
  if (options.noderoleIds.length === 0) return;
  await sql`
    update noderole set holds = array_append(holds, ${options.hold}::text)
    where id = any(${[...options.noderoleIds]}::bigint[]) and not ${options.hold} = any(holds)`.execute(
    tx,
  );
};

const dropQueued = async (tx: Tx, picks: readonly Pick[]): Promise<void> => {
  const runIds = picks.flatMap((pick) => (pick.queuedRun === null ? [] : [pick.queuedRun]));
  if (runIds.length === 0) return;
  await sql`
    update run set status = 'cancelled', ended_at = now(), error = 'put off: the noderole may not run now'
    where id = any(${runIds}::bigint[]) and status = 'queued'`.execute(tx);
  await sql`
    update noderole set stale = true where state = 'active'
      and id = any(${picks.map((pick) => pick.noderoleId)}::bigint[])`.execute(tx);
};

const awaitsSoftParent = async (tx: Tx, picks: readonly Pick[]): Promise<ReadonlySet<number>> => {
  const { rows } = await sql<{ id: number }>`
    select distinct e.child_id as id from edge e join noderole p on p.id = e.parent_id
    left join noderole root on root.id = p.blocked_by
    where e.soft and e.child_id = any(${picks.map((pick) => pick.noderoleId)}::bigint[])
      and (p.state in ('todo', 'transition') or (p.state = 'blocked' and root.state is distinct from 'error'))`.execute(
    tx,
  );
  return new Set(rows.map((row) => row.id));
};

export const holdBack = async (
  tx: Tx,
  {
    lanes,
    picks,
  }: {
    readonly lanes: readonly LockedLane[];
    readonly picks: readonly Pick[];
  },
): Promise<readonly Pick[]> => {
  if (picks.length < lanes.length) {
    const found = new Set(picks.map((pick) => `${pick.nodeId} ${pick.lane}`));
    // the lane says there is work but none was found: its count is wrong, and put right here, not next tick
    await recountLanes(
      tx,
      lanes.filter((lane) => !found.has(`${lane.node_id} ${lane.lane}`)),
    );
  }
  const late = picks.length === 0 ? new Set<number>() : await awaitsSoftParent(tx, picks);
  const free: Pick[] = [];
  const held: Record<'paused' | 'jig' | 'order', number[]> = { paused: [], jig: [], order: [] };
  const dropped: Pick[] = [];
  for (const pick of picks) {
    const superseded = pick.kind === 'refresh' && pick.state !== 'active';
    const hold = pick.paused
      ? 'paused'
      : !pick.jigActive
        ? 'jig'
        : late.has(pick.noderoleId)
          ? 'order'
          : null;
    if (superseded || (hold !== null && hold !== 'order' && pick.queuedRun !== null))
      dropped.push(pick);
    else if (hold !== null && pick.queuedRun === null) held[hold].push(pick.noderoleId);
    else free.push(pick);
  }
  await addHold(tx, { noderoleIds: held.paused, hold: 'paused' });
  await addHold(tx, { noderoleIds: held.jig, hold: 'jig' });
  await addHold(tx, { noderoleIds: held.order, hold: 'order' });
  await dropQueued(tx, dropped);
  return free;
};
