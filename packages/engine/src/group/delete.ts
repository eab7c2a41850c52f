import { lockRevision } from '../db/lock-revision.ts';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import { needGroup } from './find.ts';

export const deleteGroup = async (
  db: Db,
  options: {
    readonly group: string | number;
    readonly revision?: number | undefined;
    readonly actor: string;
  },
): Promise<void> =>
  transaction(db, async (tx) => {
    const group = await lockRevision(tx, {
      ...options,
      table: 'node_group',
      need: needGroup,
      ref: options.group,
    });
    await tx.deleteFrom('node_group').where('id', '=', group.id).execute();
    await emit(tx, {
      kind: 'group.deleted',
      payload: { id: group.id, name: group.name, actor: options.actor },
    });
  });
