/**
 * What must hold whatever was lost: counters are recounted, what is done is swept away. Events make
 * the annealer fast; this makes it right, even if a row was changed behind its back. Only unsettled
 * rows are read, and one worker at a time does it.
 */
import { sql } from 'kysely';
import { LOCKS } from '../db/locks.ts';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { advanceRemovals } from '../noderole/advance-removals.ts';
import { markDescendants } from '../noderole/mark-descendants.ts';
import { advanceRollouts, finishSnapshots } from '../rollout/advance-rollouts.ts';
import { judgePower } from './judge-power.ts';
import { releaseHolds } from './release-holds.ts';

/** A lost decrement would block for ever: blocked and todo follow from the parents' states, not from memory. */
const recountPending = async (tx: Tx): Promise<void> => {
  await sql`
    with fact as (
      select w.id, w.pending, count(p.id) filter (where p.state <> 'active')::int as parents
      from noderole w left join edge e on e.child_id = w.id and not e.soft left join noderole p on p.id = e.parent_id
      where not w.settled and w.state in ('blocked', 'todo') and not w.removing group by w.id
    ), wrong as (
      select f.id, f.parents from fact f join noderole w on w.id = f.id
      where f.pending <> f.parents or (w.state = 'blocked' and f.parents = 0) or (w.state = 'todo' and f.parents > 0)
      order by f.id for update of w
    )
    update noderole w set pending = x.parents, state = case when x.parents > 0 then 'blocked' else 'todo' end, state_since = now()
    from wrong x where x.id = w.id and w.state in ('blocked', 'todo')`.execute(tx);
};

/** ready, busy and priority of each lane, from the rows they count. */
const recountLanes = async (tx: Tx): Promise<void> => {
  await sql`
    with work as (
      select node_id, lane, count(*)::int as n, max(priority) as priority from noderole where not settled and state = 'todo' and holds = '{}' group by node_id, lane
    ), queued as (
      select node_id, lane, count(*)::int as n from run where status = 'queued' group by node_id, lane
    ), live as (
      select node_id, lane from run where status in ('running', 'waiting', 'cancelling')
    ), fact as (
      select l.node_id, l.lane, coalesce(w.n, 0) + coalesce(q.n, 0) as ready, coalesce(q.n, 0) as queued, coalesce(w.priority, 0) as priority, v.node_id is not null as busy,
        n.alive and n.available and n.deleted_at is null as open
      from node_lane l join node n on n.id = l.node_id
      left join work w using (node_id, lane) left join queued q using (node_id, lane) left join live v using (node_id, lane)
    ), wrong as (
      select f.* from fact f join node_lane l on l.node_id = f.node_id and l.lane = f.lane
      where (l.ready, l.queued, l.busy, l.open) is distinct from (f.ready, f.queued, f.busy, f.open) or (f.ready > 0 and l.priority <> f.priority)
      order by l.node_id, l.lane for update of l skip locked
    )
    update node_lane l set ready = x.ready, queued = x.queued, busy = x.busy, open = x.open, priority = x.priority
    from wrong x where l.node_id = x.node_id and l.lane = x.lane
      and x.busy = exists (select from run r where r.node_id = l.node_id and r.lane = l.lane and r.status in ('running', 'waiting', 'cancelling'))`.execute(
    tx,
  );
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
    select distinct p.id from noderole p join edge e on e.parent_id = p.id and not e.soft join noderole c on c.id = e.child_id
    where not p.settled and p.state = 'error' and c.state in ('blocked', 'active') and c.blocked_by is null and c.degraded_by is null`.execute(
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
    recountPending,
    recountLanes,
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
