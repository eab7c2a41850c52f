import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import { resealBundles } from '../agent-task/seal-bundle.ts';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import { isSealedBy, seal, unseal, type MasterKey } from './seal.ts';

/**
 * Seals every secret and every open bundle anew, all in one transaction: afterwards none opens with
 * the old key. What the new key sealed already stays, so a second call after a lost answer or a
 * killed process is harmless.
 */
export const rotateMasterKey = async (
  db: Db,
  options: { readonly from: MasterKey; readonly to: MasterKey; readonly actor: string },
): Promise<{ readonly rotated: number }> =>
  transaction(db, async (tx) => {
    const workers = await tx
      .selectFrom('worker')
      .select('name')
      .where('lease_until', '>', sql<Date>`now()`)
      .execute();
    if (workers.length > 0)
      throw new HostwrightError('conflict', {
        message: `${workers.map(({ name }) => name).join(', ')} may still work with the old key: stop every server and worker, and wait 15 seconds for one that was killed`,
      });
    const rows = await tx
      .selectFrom('secret')
      .select(['id', 'name', 'sealed'])
      .orderBy('id')
      .forUpdate()
      .execute();
    const old = rows.filter((row) => !isSealedBy(options.to, row.sealed));
    for (const row of old)
      await tx
        .updateTable('secret')
        .set({ sealed: seal(options.to, row.name, unseal(options.from, row.name, row.sealed)) })
        .where('id', '=', row.id)
        .execute();
    await resealBundles(tx, options);
    if (old.length > 0)
      await emit(tx, {
        kind: 'secret.changed',
        payload: { change: 'rotated', count: old.length, actor: options.actor },
      });
    return { rotated: old.length };
  });
