import { sql } from 'kysely';
import { test } from 'vitest';
import { livesOf } from './model.ts';

test('invariant 4: whatever is not at rest has an owner, a lease and a deadline', async () => {
  await livesOf({
    lives: 4,
    length: 40,
    check: async ({ db }) => {
      const { rows } = await sql`
        select 'transition without a live run' as what, w.id from noderole w left join run r on r.id = w.run_id and r.status in ('running', 'waiting', 'cancelling')
          where w.state = 'transition' and r.id is null
        union all select 'live without a deadline', id from run where status in ('running', 'waiting', 'cancelling') and deadline_at is null
        union all select 'running without a worker and its lease', r.id from run r left join worker k on k.id = r.worker_id where r.status = 'running' and k.lease_until is null
        union all select 'waiting for nothing', id from run where status = 'waiting' and waiting_for is null
        union all select 'a worker held while waiting', id from run where status = 'waiting' and worker_id is not null
        union all select 'blocked by nobody', w.id from noderole w where w.state = 'blocked'
          and not exists (select from edge e join noderole p on p.id = e.parent_id where e.child_id = w.id and not e.soft and p.state <> 'active')
        union all select 'todo that no lane counts and no hold explains', w.id from noderole w join node_lane l on l.node_id = w.node_id and l.lane = w.lane
          where w.state = 'todo' and w.holds = '{}' and l.ready = 0
        union all select 'a backoff without an end', id from noderole where 'backoff' = any(holds) and not_before is null`.execute(
        db,
      );
      return rows;
    },
  });
});
