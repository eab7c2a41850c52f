import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { lockTask, type TaskKey } from './current.ts';

/** The agent is about to start it. `void`: it must not. Saying it twice is harmless. */
export const startTask = async (tx: Tx, key: TaskKey): Promise<'started' | 'void'> => {
  const task = await lockTask(tx, key);
  if (task === undefined || !task.live || !task.boot) return 'void';
  if (task.status === 'started') return 'started';
  if (task.status !== 'offered') return 'void';
  await sql`
    update agent_task set status = 'started', boot_id = ${key.bootId}, updated_at = now()
    where run_id = ${key.runId} and token = ${key.token} and action <> 'cancel'`.execute(tx);
  return 'started';
};
