/**
 * Counts lanes anew that the caller has locked. A statement of its own, so that what it counts is
 * what stands now that they are locked: whoever changes what is counted needs the lane for it.
 */
import type { Lane } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

export const recountLanes = async (
  tx: Tx,
  lanes: readonly { readonly node_id: number; readonly lane: Lane }[],
): Promise<void> => {
  if (lanes.length === 0) return;
  await sql`
    update node_lane l set
      ready = (select count(*) from noderole w where w.node_id = l.node_id and w.lane = l.lane and w.state = 'todo' and w.holds = '{}')
            + (select count(*) from run r where r.node_id = l.node_id and r.lane = l.lane and r.status = 'queued'),
      queued = (select count(*) from run r where r.node_id = l.node_id and r.lane = l.lane and r.status = 'queued'),
      busy = exists (select from run r where r.node_id = l.node_id and r.lane = l.lane and r.status in ('running', 'waiting', 'cancelling')),
      open = (select n.alive and n.available and n.deleted_at is null from node n where n.id = l.node_id),
      priority = coalesce((select max(w.priority) from noderole w
        where w.node_id = l.node_id and w.lane = l.lane and w.state = 'todo' and w.holds = '{}'), 0),
      next_noderole = null, ready_since = now()
    from unnest(${lanes.map((lane) => lane.node_id)}::bigint[], ${lanes.map((lane) => lane.lane)}::text[]) as f(node_id, lane)
    where l.node_id = f.node_id and l.lane = f.lane`.execute(tx);
};
