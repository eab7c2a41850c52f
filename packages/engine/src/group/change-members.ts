import { sql } from 'kysely';
import { findIdOrName } from '../db/id-or-name.ts';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import type { SavedGroup } from './check.ts';
import { needGroup } from './find.ts';

interface MembershipOptions {
  readonly group: string | number;
  /** Names or ids. */
  readonly add?: readonly (string | number)[];
  readonly remove?: readonly (string | number)[];
  readonly actor: string;
}

/** All or nothing: a node that is not there is named, and nobody is added. */
export const changeGroupMembers = async (db: Db, options: MembershipOptions): Promise<SavedGroup> =>
  transaction(db, async (tx) => {
    const group = await needGroup(tx, options.group);
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
    return { ok: true, group: await needGroup(tx, group.id) };
  });

const resolve = async (tx: Tx, nodes: readonly (string | number)[]) => {
  const wanted = nodes.map((node) => findIdOrName(String(node).slice(0, 255)));
  const { rows } = await sql<{ given: string; id: number | null }>`
    select coalesce(w.name, w.id::text) as given, n.id
    from unnest(${wanted.map((ref) => ref.id ?? null)}::bigint[], ${wanted.map((ref) => ref.name ?? null)}::text[]) w(id, name)
    left join node n on n.deleted_at is null and (n.id = w.id or n.name = w.name)`.execute(tx);
  return {
    ids: [...new Set(rows.flatMap((row) => (row.id === null ? [] : [row.id])))],
    missing: rows.filter((row) => row.id === null).map((row) => row.given),
  };
};
