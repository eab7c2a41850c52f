/**
 * Tells a jig that was switched on of the nodes that are there. How far it has come is kept, so
 * that another process goes on from there; a node the jig cannot take is set aside and named.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import type { Jig, RunNode } from '../jig.ts';

const BATCH = 100;
const BATCHES = 20; // per call: a pump must come to an end
const TRIES = 3;
const BETWEEN_TRIES_MS = 500;

/** True when nothing is owed any more. */
export const backfill = async (
  db: Db,
  options: { readonly jig: Jig; readonly signal: AbortSignal },
): Promise<boolean> => {
  for (let batch = 0; batch < BATCHES; batch++) {
    const owed = await readOwed(db, options.jig.name);
    if (owed === undefined) return true;
    for (const node of owed.nodes) {
      if (options.signal.aborted) return false;
      await tell(db, options.jig, node);
    }
    const last = owed.nodes.at(-1)?.id ?? owed.lastNodeId;
    const done = owed.nodes.length < BATCH;
    // Only from where it was read: a jig switched off and on meanwhile has begun anew.
    await sql`
      update jig_backfill set next_node_id = ${last}, done_at = case when ${done} then now() end
      where jig = ${options.jig.name} and next_node_id = ${owed.nextNodeId} and started_at = ${owed.startedAt}::timestamptz`.execute(
      db,
    );
  }
  return false;
};

const readOwed = async (db: Db, jig: string) => {
  const row = await db
    .selectFrom('jig_backfill')
    .select(['next_node_id as nextNodeId', 'last_node_id as lastNodeId'])
    // microseconds: as text, because a Date would round it
    .select(sql<string>`started_at::text`.as('startedAt'))
    .where('jig', '=', jig)
    .where('done_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const nodes: RunNode[] = await db
    .selectFrom('node')
    .select(['id', 'name', 'admin', 'boot_id as bootId', 'boot_epoch as bootEpoch'])
    .where('id', '>', row.nextNodeId)
    .where('id', '<=', row.lastNodeId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(BATCH)
    .execute();
  return { ...row, nodes };
};

const tell = async (db: Db, jig: Jig, node: RunNode): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await jig.nodeCreate?.(node);
      return;
    } catch (error) {
      if (attempt < TRIES) {
        await sleep(BETWEEN_TRIES_MS);
        continue;
      }
      const text = error instanceof Error ? error.message : String(error);
      await transaction(db, (tx) =>
        emit(tx, {
          kind: 'hook.failed',
          nodeId: node.id,
          payload: {
            handler: `jig.${jig.name}`,
            call: 'nodeCreate',
            attempts: attempt,
            error: text.slice(0, 2000),
          },
        }),
      );
      return;
    }
  }
};
