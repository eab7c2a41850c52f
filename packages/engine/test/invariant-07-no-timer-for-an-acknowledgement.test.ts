/** The engine's part: a run that waits for an acknowledgement goes on by that alone. What asks for power is boot's. */
import { sql } from 'kysely';
import { test } from 'vitest';
import { livesOf } from './model.ts';

test('invariant 7: no tick and no deadline ever stands in for evidence; it ends a wait only as a failure', async () => {
  await livesOf({
    lives: 4,
    length: 40,
    check: async ({ db }) => {
      const { rows } = await sql`
        select 'went on without its evidence' as what, e.run_id from event_record e
          where e.kind = 'run.status' and e.payload ->> 'from' = 'waiting' and e.payload ->> 'to' in ('running', 'succeeded')
          and not exists (select from evidence v where v.run_id = e.run_id and v.key = 'ack')
        union all select 'evidence used up by a run that never went on', v.run_id from evidence v join run r on r.id = v.run_id
          where v.taken_at is not null and r.status = 'waiting'`.execute(db);
      return rows;
    },
  });
});
