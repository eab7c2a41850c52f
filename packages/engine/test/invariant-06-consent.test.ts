import { sql } from 'kysely';
import { test } from 'vitest';
import { livesOf } from './model.ts';

test('invariant 6: every run of a destructive noderole has a consent of its own, for its inputs', async () => {
  await livesOf({
    lives: 4,
    length: 50,
    check: async ({ db }) => {
      const { rows } = await sql`
        select 'a run without its consent' as what, r.id from run r join role o on o.id = r.role_id
          left join consent c on c.used_by_run = r.id and c.noderole_id = r.noderole_id and c.input_hash = r.input_hash
          where o.destructive and r.kind = 'run' and c.id is null
        union all select 'a consent used twice', used_by_run from consent where used_by_run is not null group by used_by_run having count(*) > 1
        union all select 'a consent used by nobody', id from consent where (used_by_run is null) <> (used_at is null) or used_by_run = -1
        union all select 'a destructive refresh', r.id from run r join role o on o.id = r.role_id where o.destructive and r.kind = 'refresh'`.execute(
        db,
      );
      return rows;
    },
  });
});
