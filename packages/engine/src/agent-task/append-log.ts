/**
 * Output of a task, by byte offset: what the server already has is passed over, a gap is answered
 * with the offset wanted, so the agent may send anything twice and loses nothing when either side
 * restarts. The text is split and masked by the caller; here it only finds its place.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { lockTask, type CurrentTask, type TaskKey } from './current.ts';

export interface TaskLog {
  readonly lines: readonly string[];
  /** How many bytes of output are known once these lines are. */
  readonly nextOffset: number;
}

/** `read` gets the task as it is and says what of the sent bytes is new. */
export const appendTaskLog = async (
  tx: Tx,
  key: TaskKey,
  read: (task: CurrentTask) => TaskLog,
): Promise<number | 'void'> => {
  const task = await lockTask(tx, key);
  if (task === undefined || !task.live || !task.boot || task.status !== 'started') return 'void';
  const log = read(task);
  if (log.nextOffset <= task.nextLog) return task.nextLog;
  await sql`
    update agent_task set next_log = ${log.nextOffset}, updated_at = now()
    where run_id = ${key.runId} and token = ${key.token} and action = 'run'`.execute(tx);
  if (log.lines.length > 0) {
    await sql`
      with place as (
        update run set log_lines = log_lines + ${log.lines.length} where id = ${key.runId}
        returning log_lines - ${log.lines.length} as first)
      insert into run_log (run_id, seq, stream, text)
      select ${key.runId}, place.first + l.n, 'out', l.line
      from place, unnest(${[...log.lines]}::text[]) with ordinality as l (line, n)`.execute(tx);
  }
  return log.nextOffset;
};
