/** An installation that was cut off after its disk may have been written ends in error; nothing is written again. */
import type { Tx } from '@hostwright/engine';
import { setPhase } from './set-phase.ts';
import { tellRun } from './tell-run.ts';

export const interruptInstall = async (
  tx: Tx,
  options: { readonly nodeId: number; readonly reason: string },
): Promise<void> => {
  const live = await tx
    .selectFrom('os_install')
    .select('run_id')
    .where('node_id', '=', options.nodeId)
    .where('phase', 'not in', ['done', 'failed'])
    .executeTakeFirst();
  if (live === undefined) return;
  const error = `${options.reason}; the disk is not erased again without a new consent`;
  await setPhase(tx, {
    runId: live.run_id,
    from: ['acks', 'power', 'boot', 'installing', 'restart'],
    to: 'failed',
    error,
  });
  // what it boots next must be safe: the half-written disk is not
  await tx
    .updateTable('node')
    .set({ bootenv: 'discovery' })
    .where('id', '=', options.nodeId)
    .execute();
  await tellRun(tx, { runId: live.run_id, payload: { kind: 'failed' } });
};
