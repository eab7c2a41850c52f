import type { Db } from '../db/open.ts';
import { loadTransitions } from '../hook/load.ts';
import type { Evidence, Outcome, RunHandle } from '../jig.ts';

/** The function that a barclamp brings for one of its roles, in its present content. */
export const findTransition = async (
  db: Db,
  options: { readonly barclamp: string; readonly role: string },
): Promise<((handle: RunHandle, evidence?: Evidence) => Promise<Outcome>) | undefined> =>
  (await loadTransitions(db, options.barclamp))?.[options.role];
