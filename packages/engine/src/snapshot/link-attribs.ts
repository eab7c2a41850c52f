/** From which noderole each wanted attribute is read: among the hard parents, the one that owns or provides it. */
import type { Bound, Catalogue, GraphItem } from '@hostwright/core';
import { sql } from 'kysely';
import { roleInputs } from '../attribs/role-inputs.ts';
import type { Tx } from '../db/open.ts';

export const linkAttribs = async (
  tx: Tx,
  options: {
    readonly catalogue: Catalogue;
    readonly items: readonly GraphItem[];
    readonly idOf: (bound: Bound) => number;
    /** Noderoles that had links before. */
    readonly relink: readonly number[];
  },
): Promise<void> => {
  const { catalogue, idOf } = options;
  if (options.relink.length > 0)
    await sql`delete from attrib_link where consumer_id = any(${[...options.relink]}::bigint[])`.execute(
      tx,
    );
  const consumers: number[] = [];
  const attribs: string[] = [];
  const providers: number[] = [];
  for (const { bound, hard } of options.items) {
    const role = catalogue.byId.get(bound.roleId);
    if (role === undefined) continue;
    for (const attrib of roleInputs(catalogue, role).fromAncestors) {
      const provider = hard.find((parent) => {
        const owner = catalogue.byId.get(parent.roleId);
        return (
          owner !== undefined &&
          (owner.name === attrib.role || owner.provides.includes(attrib.role ?? ''))
        );
      });
      if (provider === undefined) continue;
      consumers.push(idOf(bound));
      attribs.push(attrib.name);
      providers.push(idOf(provider));
    }
  }
  if (consumers.length > 0)
    await sql`
      insert into attrib_link (consumer_id, attrib, provider_id)
      select * from unnest(${consumers}::bigint[], ${attribs}::text[], ${providers}::bigint[])`.execute(
      tx,
    );
};
