/** Groups of nodes: racks, rows, tags. A node may be in many. */
import { HostwrightError } from '@hostwright/core';
import { findIdOrName } from '../db/id-or-name.ts';
import type { Db, Tx } from '../db/open.ts';

export interface GroupRecord {
  readonly id: number;
  readonly name: string;
  readonly category: string;
  readonly description: string;
  readonly revision: number;
  readonly nodes: number;
}

const select = (db: Db | Tx) =>
  db
    .selectFrom('node_group')
    .select(['id', 'name', 'category', 'description', 'revision'])
    .select((row) =>
      row
        .selectFrom('node_group_member')
        .select((member) => member.fn.countAll<number>().as('nodes'))
        .whereRef('node_group_member.group_id', '=', 'node_group.id')
        .$asScalar()
        .$castTo<number>()
        .as('nodes'),
    );

export const listGroups = async (db: Db | Tx): Promise<GroupRecord[]> =>
  select(db).orderBy('name').execute();

export const findGroup = async (
  db: Db | Tx,
  nameOrId: string | number,
): Promise<GroupRecord | undefined> => {
  const ref = findIdOrName(nameOrId);
  return ref.id === undefined
    ? select(db).where('name', '=', ref.name).executeTakeFirst()
    : select(db).where('id', '=', ref.id).executeTakeFirst();
};

export const needGroup = async (tx: Tx, nameOrId: string | number): Promise<GroupRecord> => {
  const group = await findGroup(tx, nameOrId);
  if (group === undefined)
    throw new HostwrightError('not_found', {
      message: `there is no group ${String(nameOrId).slice(0, 255)}`,
    });
  return group;
};
