import type { Lane } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';

export interface OfferedTask {
  readonly runId: number;
  readonly token: number;
  readonly nodeId: number;
  readonly lane: Lane;
  readonly action: 'run' | 'cancel' | 'reboot';
  readonly timeoutSeconds: number;
  readonly sha256: string | null;
}

/**
 * What waits for the agents of these nodes, cancels first; without nodes, for all of them. Reads
 * only the partial index of open tasks, so its cost does not grow with what is done.
 */
export const listOfferedTasks = async (
  db: Db,
  nodeIds?: readonly number[],
): Promise<readonly OfferedTask[]> => {
  const some = nodeIds === undefined ? sql`` : sql`and t.node_id = any(${[...nodeIds]}::bigint[])`;
  const found = await sql<OfferedTask>`
    select t.run_id as "runId", t.token, t.node_id as "nodeId", t.lane, t.action,
           t.timeout_seconds as "timeoutSeconds", t.sha256
    from agent_task t join run r on r.id = t.run_id
    where t.status = 'offered' and r.status in ('running', 'waiting', 'cancelling') ${some}
    order by t.action <> 'cancel', t.created_at, t.run_id`.execute(db);
  return found.rows;
};
