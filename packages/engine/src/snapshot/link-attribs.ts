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

/** Roles of a barclamp may want other attributes after an import: their noderoles' links follow. */
export const relinkRoles = async (tx: Tx, barclampId: number): Promise<void> => {
  await sql`
    delete from attrib_link l using noderole w, role r
    where w.id = l.consumer_id and r.id = w.role_id and r.barclamp_id = ${barclampId}
      and not exists (select from role_want q where q.role_id = r.id and q.attrib = l.attrib)`.execute(
    tx,
  );
  await sql`
    insert into attrib_link (consumer_id, attrib, provider_id)
    select distinct on (w.id, a.name) w.id, a.name, p.id
    from role r join role_want q on q.role_id = r.id join attrib a on a.name = q.attrib join role owner on owner.id = a.role_id
    join noderole w on w.role_id = r.id join edge e on e.child_id = w.id and not e.soft
    join noderole p on p.id = e.parent_id join role pr on pr.id = p.role_id
    where r.barclamp_id = ${barclampId} and (pr.id = owner.id or owner.name = any(pr.provides))
    order by w.id, a.name, (pr.id = owner.id) desc, p.node_id
    on conflict do nothing`.execute(tx);
};
