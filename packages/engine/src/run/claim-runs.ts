/**
 * Turns todo into runs: one transaction for a batch, however many nodes it spans. What may not start
 * after all is given a hold that says why, so that it never comes up again until the hold is gone.
 * Never fatal: a lane that turns out to be taken is left alone.
 */
import { transaction } from '../db/transaction.ts';
import type { Db, Tx } from '../db/open.ts';
import { takeConsents } from '../consent/take-consents.ts';
import { holdBack } from './hold-back.ts';
import { lockLanes, pickWork, type Pick } from './pick-work.ts';
import { refuseUnresolvable } from './refuse-unresolvable.ts';
import { resolveInputs } from '../attribs/resolve-inputs.ts';
import { startRuns } from './start-runs.ts';
import type { ClaimedRun } from './claimed-run.ts';

export interface ClaimOptions {
  readonly workerId: number;
  readonly limit: number;
}

export interface Claim {
  readonly runs: readonly ClaimedRun[];
  /** Lanes looked at; fewer runs than that means that something was held back, so look again. */
  readonly lanes: number;
}

const claimOnce = async (
  tx: Tx,
  options: ClaimOptions & { readonly onUnresolvable: (picks: readonly Pick[]) => void },
): Promise<Claim> => {
  const lanes = await lockLanes(tx, options.limit);
  if (lanes.length === 0) return { runs: [], lanes: 0 };
  const picks = await pickWork(tx, lanes);
  const free = await holdBack(tx, { lanes, picks });
  if (free.length === 0) return { runs: [], lanes: lanes.length };
  const ids = free.map((pick) => pick.noderoleId);
  const known = free.map((pick) => ({ ...pick, id: pick.noderoleId, node: pick.nodeName }));
  const inputs = await resolveInputs(tx, ids, { known }).catch((error: unknown) => {
    options.onUnresolvable(free);
    throw error;
  });
  const allowed = await takeConsents(tx, { picks: free, inputs });
  return { runs: await startRuns(tx, { ...options, picks: allowed, inputs }), lanes: lanes.length };
};

export const claimRuns = async (db: Db, options: ClaimOptions): Promise<Claim> => {
  let unresolvable: readonly Pick[] = [];
  const onUnresolvable = (picks: readonly Pick[]) => {
    unresolvable = picks;
  };
  try {
    return await transaction(db, (tx) => claimOnce(tx, { ...options, onUnresolvable }));
  } catch (error) {
    const refused = await refuseUnresolvable(db, unresolvable);
    if (refused === 0) throw error;
    return { runs: [], lanes: unresolvable.length };
  }
};
