/** Wakes the run of an installation: it then reads the row, so a lost or doubled message does no harm. */
import type { JsonObject } from '@hostwright/core';
import type { Tx } from '@hostwright/engine';
import { sql } from 'kysely';

export const INSTALL_EVIDENCE = 'os-install';

export const tellRun = async (
  tx: Tx,
  options: { readonly runId: number; readonly payload: JsonObject },
): Promise<void> => {
  await tx
    .insertInto('evidence')
    .values({
      run_id: options.runId,
      key: INSTALL_EVIDENCE,
      payload: JSON.stringify(options.payload),
    })
    .execute();
  await sql`select pg_notify('hostwright_evidence', ${String(options.runId)})`.execute(tx);
};
