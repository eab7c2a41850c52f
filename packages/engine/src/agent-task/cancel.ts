/**
 * Asks for the end of a run that was handed to an agent. A task that no machine has taken is void
 * at once; a started one is ended by the agent, whose result then says so.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

export type CancelAnswer = 'asked' | 'nothing there';

export const cancelTask = async (
  tx: Tx,
  wanted: { readonly runId: number },
): Promise<CancelAnswer> => {
  await sql`
    update agent_task set status = 'void', bundle = null, masks = null, updated_at = now()
    where run_id = ${wanted.runId} and action <> 'cancel' and status = 'offered'`.execute(tx);
  const started = await sql<{ run_id: number }>`
    insert into agent_task (run_id, token, node_id, lane, action, timeout_seconds)
    select run_id, token, node_id, lane, 'cancel', timeout_seconds from agent_task
    where run_id = ${wanted.runId} and action = 'run' and status = 'started'
    on conflict (run_id, token, action) do update set updated_at = now()
    returning run_id`.execute(tx);
  return started.rows.length > 0 ? 'asked' : 'nothing there';
};

/** Whether anything of the run may still be on the machine. */
export const isTaskOpen = async (tx: Tx, wanted: { readonly runId: number }): Promise<boolean> => {
  const open = await tx
    .selectFrom('agent_task')
    .select('run_id')
    .where('run_id', '=', wanted.runId)
    .where('action', '=', 'run')
    .where('status', 'in', ['offered', 'started'])
    .executeTakeFirst();
  return open !== undefined;
};
