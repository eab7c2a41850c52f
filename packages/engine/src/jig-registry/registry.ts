/** Which jigs there are: those this program brings, and whether operators let them work. */
import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import { releaseHolds } from '../annealer/release-holds.ts';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import type { Jig } from '../jig.ts';
import { oweNodes } from './handler.ts';

/** Called at each start. A jig seen for the first time is switched on and told of all nodes. */
export const registerJigs = async (
  db: Db,
  jigs: readonly Pick<Jig, 'name' | 'description'>[],
): Promise<void> => {
  for (const { name, description } of jigs) {
    await transaction(db, async (tx) => {
      const row = await tx
        .insertInto('jig')
        .values({ name, description })
        .onConflict((conflict) => conflict.doNothing())
        .returning('name')
        .executeTakeFirst();
      if (row === undefined) {
        await tx
          .updateTable('jig')
          .set({ description })
          .where('name', '=', name)
          .where('description', '<>', description)
          .execute();
        return;
      }
      await oweNodes(tx, name);
      await emit(tx, { kind: 'jig.changed', payload: { name, active: true, change: 'added' } });
    });
  }
};

/** Off: nothing of it starts. On: it is told of every node, and what waited for it goes on. */
export const setJigActive = async (
  db: Db,
  options: { readonly jig: string; readonly active: boolean; readonly actor: string },
): Promise<{ readonly changed: boolean }> =>
  transaction(db, async (tx) => {
    const row = await tx
      .selectFrom('jig')
      .select('active')
      .where('name', '=', options.jig)
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined)
      throw new HostwrightError('not_found', {
        message: `there is no jig ${options.jig.slice(0, 255)}`,
      });
    if (row.active === options.active) return { changed: false };
    await tx
      .updateTable('jig')
      .set((set) => ({ active: options.active, revision: set('revision', '+', 1) }))
      .where('name', '=', options.jig)
      .execute();
    if (options.active) {
      await oweNodes(tx, options.jig);
      await releaseHolds(tx);
      await sql`select pg_notify('hostwright_wake', 'jig')`.execute(tx);
    }
    await emit(tx, {
      kind: 'jig.changed',
      payload: {
        name: options.jig,
        active: options.active,
        change: 'switched',
        actor: options.actor,
      },
    });
    return { changed: true };
  });
