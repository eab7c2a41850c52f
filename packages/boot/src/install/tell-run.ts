/** Wakes the run of an installation: it then reads the row, so a lost or doubled message does no harm. */
import type { JsonObject } from '@hostwright/core';
import { recordEvidence, type Tx } from '@hostwright/engine';

export const INSTALL_EVIDENCE = 'os-install';

export const tellRun = async (
  tx: Tx,
  options: { readonly runId: number; readonly payload: JsonObject },
): Promise<void> => {
  await recordEvidence(tx, {
    runId: options.runId,
    key: INSTALL_EVIDENCE,
    payload: options.payload,
  });
};
