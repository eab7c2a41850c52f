/** Single facts about a node that the engine, boot services and hooks decide, in their transaction. */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { nodeLost } from '../run/node-lost.ts';

export interface AliveOptions {
  readonly nodeId: number;
  readonly alive: boolean;
  readonly reason: string;
  /**
   * Not alive until somebody says so here again: the machine's own polls and hellos do not count.
   * For an OS install, whose dying system would otherwise be taken for the new one.
   */
  readonly hold?: boolean;
}

export const setNodeAlive = async (tx: Tx, options: AliveOptions): Promise<void> => {
  const hold = !options.alive && options.hold === true ? options.reason : null;
  const changed = await tx
    .updateTable('node')
    .set({
      alive: options.alive,
      alive_reason: options.reason,
      alive_hold: hold,
      alive_changed_at: sql<Date>`now()`,
    })
    .where('id', '=', options.nodeId)
    .where((row) =>
      row.or([row('alive', '<>', options.alive), row('alive_hold', 'is distinct from', hold)]),
    )
    .returning('alive')
    .executeTakeFirst();
  if (changed !== undefined && !options.alive)
    await nodeLost(tx, { nodeId: options.nodeId, reason: options.reason });
};

export const setNodeBootenv = async (
  tx: Tx,
  options: { readonly nodeId: number; readonly bootenv: string },
): Promise<void> => {
  await tx
    .updateTable('node')
    .set((row) => ({
      bootenv: options.bootenv,
      revision: row('revision', '+', 1),
      updated_at: sql<Date>`now()`,
    }))
    .where('id', '=', options.nodeId)
    .where('bootenv', '<>', options.bootenv)
    .execute();
};
