import { sql } from 'kysely';
import type { Db } from '../db/open.ts';

/** The runs of a node that its agent may keep alive; it ends all others. */
export const listLiveTasks = async (
  db: Db,
  nodeId: number,
): Promise<readonly { readonly runId: number; readonly token: number }[]> => {
  const found = await sql<{ runId: number; token: number }>`
    select t.run_id as "runId", t.token from agent_task t join run r on r.id = t.run_id
    where t.node_id = ${nodeId} and t.action = 'run' and t.status in ('offered', 'started')
      and r.status in ('running', 'waiting', 'cancelling')
    order by t.run_id`.execute(db);
  return found.rows;
};
