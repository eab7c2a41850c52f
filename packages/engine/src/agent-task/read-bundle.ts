import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import type { TaskKey } from './current.ts';

/** The sealed bundle; undefined once the task is void, done, or not this node's. */
export const readTaskBundle = async (db: Db, key: TaskKey): Promise<Buffer | undefined> => {
  const found = await sql<{ bundle: Buffer }>`
    select t.bundle from agent_task t join run r on r.id = t.run_id join node n on n.id = t.node_id
    where t.run_id = ${key.runId} and t.token = ${key.token} and t.node_id = ${key.nodeId}
      and t.action = 'run' and t.status in ('offered', 'started') and t.bundle is not null
      and r.status in ('running', 'waiting', 'cancelling')
      and n.boot_id = ${key.bootId}`.execute(db);
  return found.rows[0]?.bundle;
};
