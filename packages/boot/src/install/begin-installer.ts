/** The machine has taken its seed: the installer is in memory, the disks are still untouched. */
import { HostwrightError } from '@hostwright/core';
import type { Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { PHASE_SECONDS } from './phase.ts';
import { setPhase } from './set-phase.ts';
import { tellRun } from './tell-run.ts';

export const beginInstaller = async (
  tx: Tx,
  options: { readonly runId: number; readonly intentId: number },
): Promise<{ readonly seconds: number }> => {
  const install = await tx
    .selectFrom('os_install')
    .innerJoin('run', 'run.id', 'os_install.run_id')
    .select(['os_install.phase', 'run.status'])
    .where('os_install.run_id', '=', options.runId)
    .forUpdate('os_install')
    .executeTakeFirst();
  const again = install?.phase === 'installing';
  if (install === undefined || !['running', 'waiting'].includes(install.status))
    throw new HostwrightError('stale_token');
  if (
    !again &&
    !(await setPhase(tx, { runId: options.runId, from: ['power', 'boot'], to: 'installing' }))
  ) {
    throw new HostwrightError('stale_token');
  }
  await tx
    .updateTable('os_install')
    .set({ boots: sql<number>`boots + 1` })
    .where('run_id', '=', options.runId)
    .execute();
  await tellRun(tx, {
    runId: options.runId,
    payload: { kind: 'started', intent: options.intentId },
  });
  return { seconds: PHASE_SECONDS.installing };
};
