import { lockRevision } from '../db/lock-revision.ts';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { refuseTaken } from '../db/unique-name.ts';
import { emit } from '../event/emit.ts';
import { checkGroup, type GroupFields, type SavedGroup } from './check.ts';
import { needGroup } from './find.ts';

export const updateGroup = async (
  db: Db,
  options: {
    readonly group: string | number;
    readonly revision?: number | undefined;
    readonly changes: Partial<GroupFields>;
    readonly actor: string;
  },
): Promise<SavedGroup> => {
  return refuseTaken({ kind: 'group', name: options.changes.name }, () =>
    transaction(db, async (tx) => {
      const now = await lockRevision(tx, {
        ...options,
        table: 'node_group',
        need: needGroup,
        ref: options.group,
      });
      const next = {
        name: options.changes.name ?? now.name,
        category: options.changes.category ?? now.category,
        description: options.changes.description ?? now.description,
      };
      const refusals = checkGroup(next);
      if (refusals.length > 0) return { ok: false, refusals };
      await tx
        .updateTable('node_group')
        .set((row) => ({ ...next, revision: row('revision', '+', 1) }))
        .where('id', '=', now.id)
        .execute();
      await emit(tx, {
        kind: 'group.changed',
        payload: { id: now.id, name: next.name, actor: options.actor },
      });
      return { ok: true, group: await needGroup(tx, now.id) };
    }),
  );
};
