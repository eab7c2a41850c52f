/**
 * What must hold whatever was lost: counters are recounted, what is done is swept away. Events make
 * the annealer fast; this makes it right, even if a row was changed behind its back. All noderoles
 * are looked at once, for their state (20 ms for 100,000); after that only those not at rest. One
 * worker at a time does it.
 */
import type { Lane } from '@hostwright/core';
import { sql } from 'kysely';
import { LOCKS } from '../db/locks.ts';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { advanceRemovals } from '../noderole/advance-removals.ts';
import { markDescendants } from '../noderole/mark-descendants.ts';
import { advanceRollouts, finishSnapshots } from '../rollout/advance-rollouts.ts';
import { recountLanes } from '../run/recount-lanes.ts';
import { judgePower } from './judge-power.ts';
import { releaseHolds } from './release-holds.ts';

/** The list of what is not at rest, from the states themselves: all else here goes by that list. */
const listUnsettled = async (tx: Tx): Promise<void> => {
  await sql`
    insert into unsettled select w.id from noderole w
    where w.state <> 'active' and not exists (select from unsettled u where u.noderole_id = w.id)
    on conflict do nothing`.execute(tx);
  await sql`
    delete from unsettled u where not exists (select from noderole w where w.id = u.noderole_id and w.state <> 'active')`.execute(
    tx,
  );
};

/** A lost decrement would block for ever: blocked and todo follow from the parents' states, not from memory. */
const recountPending = async (tx: Tx): Promise<void> => {
  await sql`
    with fact as (
      select w.id, w.pending, count(p.id) filter (where p.state <> 'active')::int as parents
      from unsettled u join noderole w on w.id = u.noderole_id
      left join edge e on e.child_id = w.id and not e.soft left join noderole p on p.id = e.parent_id
      where w.state in ('blocked', 'todo') and not w.removing group by w.id
    ), wrong as (
      select f.id, f.parents from fact f join noderole w on w.id = f.id
      where f.pending <> f.parents or (w.state = 'blocked' and f.parents = 0) or (w.state = 'todo' and f.parents > 0)
      order by f.id for update of w
    )
    update noderole w set pending = x.parents, state = case when x.parents > 0 then 'blocked' else 'todo' end, state_since = now()
    from wrong x where x.id = w.id and w.state in ('blocked', 'todo')`.execute(tx);
};

/**
 * ready, busy and priority of each lane, from the rows they count. First which are wrong, locked; then
 * the counts, read under those locks: what was counted before them may be older than the lane's own.
 */
const recountWrongLanes = async (tx: Tx): Promise<void> => {
  const { rows } = await sql<{ node_id: number; lane: Lane }>`
    with work as (
      select node_id, lane, count(*)::int as n, max(priority) as priority from unsettled u join noderole w on w.id = u.noderole_id where state = 'todo' and holds = '{}' group by node_id, lane
    ), queued as (
      select node_id, lane, count(*)::int as n from run where status = 'queued' group by node_id, lane
    ), live as (
      select node_id, lane from run where status in ('running', 'waiting', 'cancelling')
    ), fact as (
      select l.node_id, l.lane, coalesce(w.n, 0) + coalesce(q.n, 0) as ready, coalesce(q.n, 0) as queued, coalesce(w.priority, 0) as priority, v.node_id is not null as busy,
        n.alive and n.available and n.deleted_at is null as open
      from node_lane l join node n on n.id = l.node_id
      left join work w using (node_id, lane) left join queued q using (node_id, lane) left join live v using (node_id, lane)
    )
    select l.node_id, l.lane from fact f join node_lane l on l.node_id = f.node_id and l.lane = f.lane
    where (l.ready, l.queued, l.busy, l.open) is distinct from (f.ready, f.queued, f.busy, f.open) or (f.ready > 0 and l.priority <> f.priority)
    order by l.node_id, l.lane for update of l skip locked`.execute(tx);
  await recountLanes(tx, rows);
};

const sweep = async (tx: Tx): Promise<void> => {
  await sql`
    update evidence e set taken_at = now() from run r
    where e.taken_at is null and r.id = e.run_id and r.status not in ('running', 'waiting', 'cancelling', 'queued')`.execute(
    tx,
  );
  await sql`
    delete from worker k where k.lease_until < now() - interval '1 minute'
      and not exists (select from run r where r.worker_id = k.id and r.status in ('running', 'waiting', 'cancelling'))`.execute(
    tx,
  );
};

const markFailed = async (tx: Tx): Promise<void> => {
  const { rows } = await sql<{ id: number }>`
    select distinct p.id from unsettled u join noderole p on p.id = u.noderole_id join edge e on e.parent_id = p.id and not e.soft join noderole c on c.id = e.child_id
    where p.state = 'error' and c.state in ('blocked', 'active') and c.blocked_by is null and c.degraded_by is null`.execute(
    tx,
  );
  if (rows.length > 0)
    await markDescendants(
      tx,
      rows.map((row) => row.id),
    );
};

export const putRight = async (db: Db): Promise<void> => {
  for (const step of [
    listUnsettled,
    recountPending,
    recountWrongLanes,
    sweep,
    releaseHolds,
    markFailed,
    advanceRemovals,
    finishSnapshots,
    judgePower,
  ])
    await transaction(db, async (tx) => {
      const { rows } = await sql<{
        mine: boolean;
      }>`select pg_try_advisory_xact_lock(${LOCKS.putRight}) as mine`.execute(tx);
      if (rows[0]?.mine === true) await step(tx);
    });
  await transaction(db, (tx) => advanceRollouts(tx, 'all'));
};
