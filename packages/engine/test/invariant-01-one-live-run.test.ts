import { sql } from 'kysely';
import { test } from 'vitest';
import { wrongLanes, wrongPending } from './hand-worker.ts';
import { livesOf, type World } from './model.ts';

/** As the events tell it: who was live on each lane, in the order of commits of this one client. */
const overlaps = async ({ db }: World): Promise<readonly string[]> => {
  const { rows } = await sql<{ run_id: number; node_id: number; to: string; lane: string }>`
    select run_id, node_id, payload ->> 'to' as to, payload ->> 'lane' as lane from event_record where kind = 'run.status' order by id`.execute(
    db,
  );
  const live = new Map<string, number>();
  const wrong: string[] = [];
  for (const event of rows) {
    const key = `${event.node_id} ${event.lane}`;
    const holder = live.get(key);
    if (['running', 'waiting', 'cancelling'].includes(event.to)) {
      if (holder !== undefined && holder !== event.run_id)
        wrong.push(`runs ${holder} and ${event.run_id} on ${key}`);
      live.set(key, event.run_id);
    } else if (holder === event.run_id) live.delete(key);
  }
  return wrong;
};

test('invariant 1: at most one live run per node and lane, whatever happens; the lanes count right', async () => {
  await livesOf({
    lives: 4,
    length: 40,
    check: async (world) => {
      const { rows } = await sql`
        select node_id, lane from run where status in ('running', 'waiting', 'cancelling') group by node_id, lane having count(*) > 1
        union all select r.node_id, r.lane from run r left join noderole w on w.id = r.noderole_id
          where r.status in ('running', 'waiting', 'cancelling') and w.run_id is distinct from r.id`.execute(
        world.db,
      );
      return [...rows, ...(await wrongLanes(world.db)), ...(await wrongPending(world.db))];
    },
    atEnd: overlaps,
  });
});
