/** Where a new node gets its discovery roles; the binding side fills this in. */
import type { Tx } from '../db/open.ts';

export const bindSystemRoles = async (
  _tx: Tx,
  _options: { readonly nodeIds: readonly number[] },
): Promise<void> => {};
