/**
 * What a machine names when it speaks of a task, and whether that is still current: the task is
 * the node's own, was handed out with that token, its run is live, and the machine is in the boot
 * that the node is in. Everything that writes for a task goes through here (invariant 8).
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

export interface TaskKey {
  readonly nodeId: number;
  readonly runId: number;
  readonly token: number;
  readonly bootId: string;
}

export interface CurrentTask {
  readonly status: 'offered' | 'started' | 'done' | 'void';
  readonly nextLog: number;
  readonly masks: Buffer | null;
  readonly live: boolean;
  readonly boot: boolean;
}

/** Locks the task. Undefined: this node was never given it. */
export const lockTask = async (tx: Tx, key: TaskKey): Promise<CurrentTask | undefined> => {
  const found = await sql<CurrentTask>`
    select t.status, t.next_log as "nextLog", t.masks,
           coalesce(r.status in ('running', 'waiting', 'cancelling'), false) as live,
           n.boot_id is not distinct from ${key.bootId} and n.deleted_at is null as boot
    from agent_task t
    join node n on n.id = t.node_id
    left join run r on r.id = t.run_id
    where t.run_id = ${key.runId} and t.token = ${key.token} and t.node_id = ${key.nodeId}
      and t.action <> 'cancel'
    order by t.action
    limit 1
    for update of t`.execute(tx);
  return found.rows[0];
};
