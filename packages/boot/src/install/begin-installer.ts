/** The machine has taken its seed: the installer is in memory, the disks are still untouched. */
import { HostwrightError } from '@hostwright/core';
import type { Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { ERASE_SECONDS, PHASE_SECONDS } from './phase.ts';
import { setPhase } from './set-phase.ts';
import { tellRun } from './tell-run.ts';

export const beginInstaller = async (
  tx: Tx,
  options: { readonly runId: number; readonly intentId: number },
): Promise<{ readonly seconds: number }> => {
  const install = await tx
    .selectFrom('os_install')
    .innerJoin('run', 'run.id', 'os_install.run_id')
    .select(['os_install.phase', 'run.status', sql<string>`plan->>'kind'`.as('kind')])
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
  const seconds = install.kind === 'erase' ? ERASE_SECONDS : PHASE_SECONDS.installing;
  await tx
    .updateTable('os_install')
    .set({
      boots: sql<number>`boots + 1`,
      phase_deadline: sql<Date>`now() + ${seconds} * interval '1 second'`,
    })
    .where('run_id', '=', options.runId)
    .execute();
  // the installer of an earlier boot is gone with it, or was never this machine's
  await tx
    .updateTable('boot_token')
    .set({ expires_at: sql<Date>`now()` })
    .where('intent_id', 'in', (from) =>
      from.selectFrom('boot_intent').select('id').where('run_id', '=', options.runId),
    )
    .where('intent_id', '<>', options.intentId)
    .where('expires_at', '>', sql<Date>`now()`)
    .execute();
  await tx
    .updateTable('token')
    .set({ revoked_at: sql<Date>`now()` })
    .where('boot_intent_id', 'in', (from) =>
      from.selectFrom('boot_intent').select('id').where('run_id', '=', options.runId),
    )
    .where('revoked_at', 'is', null)
    .execute();
  await tellRun(tx, {
    runId: options.runId,
    payload: { kind: 'started', intent: options.intentId },
  });
  return { seconds };
};
