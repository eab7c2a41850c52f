/**
 * Hands a run to the agent of its node. Offered once per run, whatever happens to the worker that
 * offers it: a worker that takes the run over with a newer token finds the task there and only
 * waits, so the scripts are never started a second time. The insert wakes the node's poll.
 */
import type { Lane } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

export interface NewTask {
  readonly runId: number;
  readonly token: number;
  readonly nodeId: number;
  readonly lane: Lane;
  readonly timeoutSeconds: number;
  readonly action: 'run' | 'reboot';
  /** Sealed with the master key: attributes may hold secrets. */
  readonly bundle?: Buffer;
  /** SHA-256, in hex, of the bundle before it was sealed. */
  readonly sha256?: string;
  /** Sealed JSON list of texts that must not show in the log. */
  readonly masks?: Buffer;
}

export type Offer = 'offered' | 'already offered' | 'run not live';

export const offerTask = async (tx: Tx, task: NewTask): Promise<Offer> => {
  const live = await sql<{ known: boolean }>`
    select exists (select 1 from agent_task t where t.run_id = r.id and t.action = ${task.action}) as known
    from run r
    where r.id = ${task.runId} and r.token = ${task.token} and r.node_id = ${task.nodeId}
      and r.status in ('running', 'waiting', 'cancelling')
    for update of r`.execute(tx);
  const found = live.rows[0];
  if (found === undefined) return 'run not live';
  if (found.known) return 'already offered';
  await tx
    .insertInto('agent_task')
    .values({
      run_id: task.runId,
      token: task.token,
      node_id: task.nodeId,
      lane: task.lane,
      action: task.action,
      timeout_seconds: task.timeoutSeconds,
      bundle: task.bundle ?? null,
      sha256: task.sha256 ?? null,
      masks: task.masks ?? null,
    })
    .execute();
  return 'offered';
};
