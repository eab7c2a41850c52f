/** Groups of nodes: racks, rows, tags. A node may be in many. */
import { HostwrightError, type Refusal } from '@hostwright/core';
import { sql } from 'kysely';
import { findIdOrName } from '../db/id-or-name.ts';
import type { Db, Tx } from '../db/open.ts';
import { sqlState, transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';

export interface GroupRecord {
  readonly id: number;
  readonly name: string;
  readonly category: string;
  readonly description: string;
  readonly revision: number;
  readonly nodes: number;
}

export interface GroupFields {
  readonly name: string;
  readonly category?: string | undefined;
  readonly description?: string | undefined;
}

export type SavedGroup =
  | { readonly ok: true; readonly group: GroupRecord }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

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

const need = async (tx: Tx, nameOrId: string | number): Promise<GroupRecord> => {
  const group = await findGroup(tx, nameOrId);
  if (group === undefined)
    throw new HostwrightError('not_found', {
      message: `there is no group ${String(nameOrId).slice(0, 255)}`,
    });
  return group;
};

/** Locked first, then compared: two who have read the same revision must not both win. */
const lockCurrent = async (
  tx: Tx,
  options: { readonly group: string | number; readonly revision?: number | undefined },
): Promise<GroupRecord> => {
  const { id } = await need(tx, options.group);
  await tx.selectFrom('node_group').select('id').where('id', '=', id).forUpdate().execute();
  const group = await need(tx, id);
  if (options.revision !== undefined && options.revision !== group.revision)
    throw new HostwrightError('precondition_failed', { public: { revision: group.revision } });
  return group;
};

const check = (fields: GroupFields): Refusal[] => {
  const refuse = (path: string, message: string): Refusal => ({ code: 'bad_input', path, message });
  return [
    ...(/^[a-z][a-z0-9._-]{0,127}$/.test(fields.name)
      ? []
      : [
          refuse(
            'name',
            'a name begins with a lower-case letter and has letters, digits and . _ -',
          ),
        ]),
    ...(fields.category === undefined || /^[a-z][a-z0-9-]{0,63}$/.test(fields.category)
      ? []
      : [refuse('category', 'a category is one lower-case word')]),
    ...((fields.description ?? '').length <= 4096
      ? []
      : [refuse('description', 'a description has at most 4096 characters')]),
  ];
};

const taken = (name: string): SavedGroup => ({
  ok: false,
  refusals: [{ code: 'name_taken', path: 'name', message: `there is already a group ${name}` }],
});

export const createGroup = async (
  db: Db,
  options: GroupFields & { readonly actor: string },
): Promise<SavedGroup> => {
  const refusals = check(options);
  if (refusals.length > 0) return { ok: false, refusals };
  try {
    return await transaction(db, async (tx) => {
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
      return { ok: true, group: await need(tx, id) };
    });
  } catch (error) {
    if (sqlState(error) === '23505') return taken(options.name);
    throw error;
  }
};

export const updateGroup = async (
  db: Db,
  options: {
    readonly group: string | number;
    readonly revision?: number | undefined;
    readonly changes: Partial<GroupFields>;
    readonly actor: string;
  },
): Promise<SavedGroup> => {
  try {
    return await transaction(db, async (tx) => {
      const now = await lockCurrent(tx, options);
      const next = {
        name: options.changes.name ?? now.name,
        category: options.changes.category ?? now.category,
        description: options.changes.description ?? now.description,
      };
      const refusals = check(next);
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
      return { ok: true, group: await need(tx, now.id) };
    });
  } catch (error) {
    if (sqlState(error) === '23505') return taken(options.changes.name ?? '');
    throw error;
  }
};

export const deleteGroup = async (
  db: Db,
  options: {
    readonly group: string | number;
    readonly revision?: number | undefined;
    readonly actor: string;
  },
): Promise<void> =>
  transaction(db, async (tx) => {
    const group = await lockCurrent(tx, options);
    await tx.deleteFrom('node_group').where('id', '=', group.id).execute();
    await emit(tx, {
      kind: 'group.deleted',
      payload: { id: group.id, name: group.name, actor: options.actor },
    });
  });

export interface MembershipOptions {
  readonly group: string | number;
  /** Names or ids. */
  readonly add?: readonly (string | number)[];
  readonly remove?: readonly (string | number)[];
  readonly actor: string;
}

/** All or nothing: a node that is not there is named, and nobody is added. */
export const changeGroupMembers = async (db: Db, options: MembershipOptions): Promise<SavedGroup> =>
  transaction(db, async (tx) => {
    const group = await need(tx, options.group);
    const add = await resolve(tx, options.add ?? []);
    const remove = await resolve(tx, options.remove ?? []);
    const refusals = [...add.missing, ...remove.missing].map((node) => ({
      code: 'not_found',
      path: node,
      message: `there is no node ${node}`,
    }));
    if (refusals.length > 0) return { ok: false, refusals };
    const { rows } = await sql<{ changed: number }>`
      with gone as (
        delete from node_group_member where group_id = ${group.id} and node_id = any(${remove.ids}::bigint[]) returning 1
      ), come as (
        insert into node_group_member (group_id, node_id) select ${group.id}, unnest(${add.ids}::bigint[])
        on conflict do nothing returning 1
      )
      select (select count(*) from gone)::int + (select count(*) from come)::int as changed`.execute(
      tx,
    );
    const changed = rows[0]?.changed ?? 0;
    if (changed > 0) {
      await sql`update node_group set revision = revision + 1 where id = ${group.id}`.execute(tx);
      await emit(tx, {
        kind: 'group.changed',
        payload: {
          id: group.id,
          name: group.name,
          added: add.ids.length,
          removed: remove.ids.length,
          actor: options.actor,
        },
      });
    }
    return { ok: true, group: await need(tx, group.id) };
  });

const resolve = async (tx: Tx, nodes: readonly (string | number)[]) => {
  const wanted = nodes.map((node) => String(node).slice(0, 255));
  const { rows } = await sql<{ given: string; id: number | null }>`
    select w.given, n.id from unnest(${wanted}::text[]) w(given)
    left join node n on n.deleted_at is null and (n.name = w.given or (w.given ~ '^[0-9]{1,15}$' and n.id::text = w.given))`.execute(
    tx,
  );
  return {
    ids: [...new Set(rows.flatMap((row) => (row.id === null ? [] : [row.id])))],
    missing: rows.filter((row) => row.id === null).map((row) => row.given),
  };
};
