/** What the rest of the engine does when a node dies, boots or reports something new. */
import type { Tx } from '../db/open.ts';

/** Live runs of the node end, but for those that said they expect a reboot. */
export const nodeLost = async (
  _tx: Tx,
  _options: { readonly nodeId: number; readonly reason: string },
): Promise<void> => {};

export const requestRuns = async (
  _tx: Tx,
  _options: { readonly noderoleIds: readonly number[]; readonly cause: string },
): Promise<void> => {};

export const reconsiderInputs = async (
  _tx: Tx,
  _options: { readonly noderoleIds: readonly number[]; readonly cause: string },
): Promise<void> => {};

export const removeNoderoles = async (
  _tx: Tx,
  _options: { readonly noderoleIds: readonly number[]; readonly abandon: true },
): Promise<void> => {};
