/**
 * The node died, or is in another boot than before. A run that had said it expects a reboot goes on;
 * any other ends: retried by its role's policy, else an error. Its late results are void.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { requestRuns } from '../noderole/request-runs.ts';
import { completeRuns } from './complete-runs.ts';
import { tellWorkers } from './tell-workers.ts';

/** The runs that ended by it. */
export const nodeLost = async (
  tx: Tx,
  options: { readonly nodeId: number; readonly reason: string },
): Promise<readonly number[]> => {
  const { rows } = await sql<{ id: number; token: number }>`
    select id, token from run where node_id = ${options.nodeId} and status in ('running', 'waiting', 'cancelling') and not expects_reboot
    order by id for update`.execute(tx);
  const { accepted } = await completeRuns(
    tx,
    rows.map((run) => ({
      runId: run.id,
      token: run.token,
      outcome: { kind: 'failed', reason: options.reason, retryable: true, blame: 'node' },
    })),
  );
  await tellWorkers(tx, accepted);
  return accepted;
};

/** A new boot epoch: runs of the old one end, and what is known of the machine is learned again. */
export const nodeRebooted = async (
  tx: Tx,
  options: { readonly nodeId: number; readonly reason?: string },
): Promise<readonly number[]> => {
  const ended = await nodeLost(tx, {
    nodeId: options.nodeId,
    reason: options.reason ?? 'the node rebooted',
  });
  const { rows } = await sql<{ id: number }>`
    select w.id from noderole w join role r on r.id = w.role_id
    where w.node_id = ${options.nodeId} and r.discovery and not r.destructive and w.state = 'active'`.execute(
    tx,
  );
  await requestRuns(tx, {
    noderoleIds: rows.map((row) => row.id),
    cause: 'a new boot',
    actor: 'system',
  });
  return ended;
};
