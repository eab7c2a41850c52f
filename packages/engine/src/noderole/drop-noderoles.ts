/** Deletes noderole rows. Those that hung on them have one parent less to wait for. */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { unmarkDescendants } from './mark-descendants.ts';

export const dropNoderoles = async (tx: Tx, ids: readonly number[]): Promise<void> => {
  if (ids.length === 0) return;
  await unmarkDescendants(tx, ids);
  await sql`
    select from noderole where id in (select child_id from edge where parent_id = any(${[...ids]}::bigint[]))
      or id = any(${[...ids]}::bigint[]) order by id for update`.execute(tx);
  await sql`
    update noderole c set pending = greatest(c.pending - e.n, 0),
      state = case when c.state = 'blocked' and c.pending <= e.n then 'todo' else c.state end,
      state_since = case when c.state = 'blocked' and c.pending <= e.n then now() else c.state_since end
    from (
      select e.child_id, count(*)::int as n from edge e join noderole p on p.id = e.parent_id
      where e.parent_id = any(${[...ids]}::bigint[]) and not e.soft and p.state <> 'active' group by e.child_id
    ) e
    where c.id = e.child_id and not c.id = any(${[...ids]}::bigint[])`.execute(tx);
  await sql`
    update run set status = 'cancelled', ended_at = now(), error = 'the noderole was removed'
    where noderole_id = any(${[...ids]}::bigint[]) and status = 'queued'`.execute(tx);
  await sql`delete from noderole where id = any(${[...ids]}::bigint[])`.execute(tx);
};
