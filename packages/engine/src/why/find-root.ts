/**
 * The ancestor at the root of a blockage. The engine stores it when something fails; where nothing
 * has failed, the way up leads through the parents that are not active to the first that is not
 * itself blocked. Errors first, then what runs, so that the cause named is the one that matters.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export const findRoot = async (
  db: Db | Tx,
  start: {
    readonly id: number;
    readonly state: string;
    readonly blockedBy: number | null;
    readonly degradedBy: number | null;
  },
): Promise<number | undefined> => {
  if (start.state === 'active') return start.degradedBy ?? undefined;
  if (start.state !== 'blocked') return undefined;
  if (start.blockedBy !== null) return start.blockedBy;
  const { rows } = await sql<{ id: number }>`
    with recursive up as (
      select p.id, p.state, p.blocked_by, 1 as depth from edge e join noderole p on p.id = e.parent_id
      where e.child_id = ${start.id} and not e.soft and p.state <> 'active'
      union
      select p.id, p.state, p.blocked_by, up.depth + 1 from up join edge e on e.child_id = up.id and not e.soft
      join noderole p on p.id = e.parent_id and p.state <> 'active'
      where up.state = 'blocked' and up.depth < 1000
    )
    select id from up where state <> 'blocked'
    order by array_position(array['error', 'transition', 'todo', 'proposed'], state), depth, id limit 1`.execute(
    db,
  );
  return rows[0]?.id;
};
