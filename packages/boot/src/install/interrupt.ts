/** An installation that was cut off after its disk may have been written ends in error; nothing is written again. */
import type { Tx } from '@hostwright/engine';
import { setPhase } from './set-phase.ts';
import { tellRun } from './tell-run.ts';

const interruptInstall = async (
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

/**
 * A machine has begun to boot something else than its installer. Asking what to boot is not that:
 * somebody may look at a script while the installer writes.
 */
export const interruptCutOff = async (tx: Tx, nodeId: number): Promise<void> => {
  const cut = await tx
    .selectFrom('os_install')
    .select(['boots', 'wipe_granted_at'])
    .where('node_id', '=', nodeId)
    .where('phase', '=', 'installing')
    .executeTakeFirst();
  if (cut === undefined) return;
  const reason =
    cut.wipe_granted_at === null
      ? `the installer did not start in ${cut.boots} boots`
      : 'the machine booted again before its installer had finished';
  await interruptInstall(tx, { nodeId, reason });
};
