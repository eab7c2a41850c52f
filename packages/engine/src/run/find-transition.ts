import type { Db } from '../db/open.ts';
import { readBarclampHooks } from '../hook/load.ts';
import type { Evidence, Outcome, RunHandle } from '../jig.ts';

/** The function that a barclamp brings for one of its roles, in its present content. */
export const findTransition = async (
  db: Db,
  options: { readonly barclamp: string; readonly role: string },
): Promise<((handle: RunHandle, evidence?: Evidence) => Promise<Outcome>) | undefined> => {
  const barclamps = await readBarclampHooks(db);
  return barclamps.find((known) => known.name === options.barclamp)?.hooks?.transitions?.[
    options.role
  ];
};
