import { sql } from 'kysely';
import type { Db } from '../db/open.ts';

export interface LiveTask {
  readonly nodeId: number;
  readonly runId: number;
  readonly token: number;
}

/** The runs of these nodes that their agents may keep alive; they end all others. */
export const listLiveTasks = async (
  db: Db,
  nodeIds: readonly number[],
): Promise<readonly LiveTask[]> => {
  const found = await sql<LiveTask>`
    select t.node_id as "nodeId", t.run_id as "runId", t.token from agent_task t join run r on r.id = t.run_id
    where t.node_id = any(${[...nodeIds]}::bigint[]) and t.action = 'run' and t.status in ('offered', 'started')
      and r.status in ('running', 'waiting', 'cancelling')
    order by t.run_id`.execute(db);
  return found.rows;
};
