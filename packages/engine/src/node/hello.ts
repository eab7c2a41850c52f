/**
 * A machine says which boot it is in. A boot id never seen opens a new epoch; one of an earlier
 * epoch is stale and changes nothing, however late or often it comes (invariant 8).
 */
import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { nodeRebooted } from '../run/node-lost.ts';

export interface HelloOptions {
  readonly nodeId: number;
  readonly bootId: string;
}

export type Hello =
  | { readonly ok: true; readonly epoch: number; readonly newBoot: boolean }
  | { readonly ok: false; readonly reason: 'stale' };

const BOOT_ID = /^[A-Za-z0-9._:-]{1,128}$/;

export const reportHello = async (db: Db, options: HelloOptions): Promise<Hello> => {
  if (!BOOT_ID.test(options.bootId))
    throw new HostwrightError('bad_input', {
      message: 'a boot id has 1 to 128 letters, digits or . _ : -',
      refusals: [{ code: 'bad_input', path: 'boot_id', message: 'not a boot id' }],
    });
  return transaction(db, (tx) => hello(tx, options));
};

const hello = async (tx: Tx, { nodeId, bootId }: HelloOptions): Promise<Hello> => {
  const node = await tx
    .selectFrom('node')
    .select(['name', 'boot_id', 'boot_epoch', 'alive', 'alive_hold'])
    .where('id', '=', nodeId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (node === undefined)
    throw new HostwrightError('not_found', { message: 'there is no such node' });
  if (node.boot_id === bootId) {
    await seen(tx, nodeId);
    if (!node.alive && node.alive_hold === null)
      await tx
        .updateTable('node')
        .set({ alive: true, alive_reason: '', alive_changed_at: sql<Date>`now()` })
        .where('id', '=', nodeId)
        .execute();
    return { ok: true, epoch: node.boot_epoch, newBoot: false };
  }
  const known = await tx
    .selectFrom('node_epoch')
    .select('epoch')
    .where('node_id', '=', nodeId)
    .where('boot_id', '=', bootId)
    .executeTakeFirst();
  if (known !== undefined) return { ok: false, reason: 'stale' };

  await seen(tx, nodeId);
  const epoch = node.boot_epoch + 1;
  await tx.insertInto('node_epoch').values({ node_id: nodeId, epoch, boot_id: bootId }).execute();
  // Runs of the boot that is gone end before the lane opens for this one; discovery roles run again.
  await nodeRebooted(tx, { nodeId, reason: `the node rebooted (boot ${epoch})` });
  await tx
    .updateTable('node')
    .set({
      boot_id: bootId,
      boot_epoch: epoch,
      ...(node.alive_hold === null
        ? { alive: true, alive_reason: '', alive_changed_at: sql<Date>`now()` }
        : {}),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', nodeId)
    .execute();
  return { ok: true, epoch, newBoot: true };
};

const seen = async (tx: Tx, nodeId: number): Promise<void> => {
  await sql`
    insert into node_presence (node_id, last_seen_at) values (${nodeId}, now())
    on conflict (node_id) do update set last_seen_at = now(), missed = 0`.execute(tx);
};
