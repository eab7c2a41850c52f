/** Names or ids, as callers give them, to ids; what is not there is told for each. */
import type { Catalogue, Refusal } from '@hostwright/core';
import { sql } from 'kysely';
import { findIdOrName } from '../db/id-or-name.ts';
import type { Db, Tx } from '../db/open.ts';

export type Ref = string | number;

const clip = (ref: Ref): string => String(ref).slice(0, 100);

const asId = (ref: Ref): number | undefined =>
  typeof ref === 'number' ? ref : findIdOrName(ref).id;

export interface ResolvedRefs {
  readonly role: (ref: Ref) => number | undefined;
  readonly node: (ref: Ref) => number | undefined;
  readonly refusals: readonly Refusal[];
}

export const resolveRefs = async (
  db: Db | Tx,
  catalogue: Catalogue,
  refs: { readonly roles: Iterable<Ref>; readonly nodes: Iterable<Ref> },
): Promise<ResolvedRefs> => {
  const refusals: Refusal[] = [];
  const role = (ref: Ref): number | undefined => {
    const id = asId(ref);
    return id === undefined ? catalogue.byName.get(String(ref))?.id : catalogue.byId.get(id)?.id;
  };
  for (const ref of new Set(refs.roles))
    if (role(ref) === undefined)
      refusals.push({
        code: 'unknown_role',
        path: `roles.${clip(ref)}`,
        message: `there is no role ${clip(ref)}`,
      });
  const wanted = [...new Set(refs.nodes)];
  const ids = wanted.flatMap((ref) => asId(ref) ?? []).filter((id) => Number.isSafeInteger(id));
  const names = wanted.filter((ref) => asId(ref) === undefined && String(ref).length <= 255);
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from node where deleted_at is null
      and (id = any(${ids}::bigint[]) or name = any(${names.map((name) => String(name).replaceAll('\0', ''))}::text[]))`.execute(
    db,
  );
  const byName = new Map(rows.map((row) => [row.name, row.id]));
  const known = new Set(rows.map((row) => row.id));
  const node = (ref: Ref): number | undefined => {
    const id = asId(ref);
    if (id === undefined) return byName.get(String(ref));
    return known.has(id) ? id : undefined;
  };
  for (const ref of wanted)
    if (node(ref) === undefined)
      refusals.push({
        code: 'unknown_node',
        path: `nodes.${clip(ref)}`,
        message: `there is no node ${clip(ref)}`,
      });
  return { role, node, refusals };
};
