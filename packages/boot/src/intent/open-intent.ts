/**
 * Opens one decision about one boot of a node. An earlier one that was not used becomes void: two
 * decisions about the same boot would be a race for who asks first.
 */
import type { Tx } from '@hostwright/engine';
import { sql } from 'kysely';

export interface OpenIntent {
  readonly nodeId: number | null;
  readonly mac?: string | null;
  readonly bootenv: string;
  readonly runId?: number | null;
  readonly seconds: number;
}

export const openIntent = async (tx: Tx, options: OpenIntent): Promise<number> => {
  if (options.nodeId !== null) {
    await tx
      .selectFrom('node')
      .select('id')
      .where('id', '=', options.nodeId)
      .forNoKeyUpdate()
      .execute();
    await voidIntents(tx, { nodeId: options.nodeId, reason: `replaced by ${options.bootenv}` });
  }
  const { id } = await tx
    .insertInto('boot_intent')
    .values({
      node_id: options.nodeId,
      mac: options.mac ?? null,
      bootenv: options.bootenv,
      run_id: options.runId ?? null,
      expires_at: sql<Date>`now() + ${options.seconds} * interval '1 second'`,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
};

export const voidIntents = async (
  tx: Tx,
  options: { readonly nodeId: number; readonly reason: string; readonly runId?: number },
): Promise<void> => {
  await tx
    .updateTable('boot_intent')
    .set({ void_at: sql<Date>`now()`, void_reason: options.reason })
    .where('node_id', '=', options.nodeId)
    .where('used_at', 'is', null)
    .where('void_at', 'is', null)
    .$if(options.runId !== undefined, (query) => query.where('run_id', '=', options.runId ?? 0))
    .execute();
};

/** True for the one boot that uses it; a second boot finds it spent. */
export const useIntent = async (tx: Tx, intentId: number): Promise<boolean> => {
  const used = await tx
    .updateTable('boot_intent')
    .set({ used_at: sql<Date>`now()` })
    .where('id', '=', intentId)
    .where('used_at', 'is', null)
    .where('void_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return used.numUpdatedRows === 1n;
};
