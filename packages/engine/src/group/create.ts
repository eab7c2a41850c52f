import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { refuseTaken } from '../db/unique-name.ts';
import { emit } from '../event/emit.ts';
import { checkGroup, type GroupFields, type SavedGroup } from './check.ts';
import { needGroup } from './find.ts';

export const createGroup = async (
  db: Db,
  options: GroupFields & { readonly actor: string },
): Promise<SavedGroup> => {
  const refusals = checkGroup(options);
  if (refusals.length > 0) return { ok: false, refusals };
  return refuseTaken({ kind: 'group', name: options.name }, () =>
    transaction(db, async (tx) => {
      const { id } = await tx
        .insertInto('node_group')
        .values({
          name: options.name,
          category: options.category ?? 'tag',
          description: options.description ?? '',
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await emit(tx, {
        kind: 'group.created',
        payload: { id, name: options.name, actor: options.actor },
      });
      return { ok: true, group: await needGroup(tx, id) };
    }),
  );
};
