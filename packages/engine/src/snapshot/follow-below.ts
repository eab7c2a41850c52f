/** What a commit changes for noderoles of deployments below, which lean on those of this one. */
import type { Bound, Catalogue, GraphItem } from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../db/open.ts';

/**
 * New members of a cluster role become parents of what hangs on the old members elsewhere. Active
 * children stay active: growing a cluster never blocks who is served already.
 */
export const growClusters = async (
  tx: Tx,
  options: {
    readonly catalogue: Catalogue;
    readonly fresh: readonly GraphItem[];
    readonly idOf: (bound: Bound) => number;
    readonly deploymentId: number;
  },
): Promise<number[]> => {
  const members = options.fresh
    .filter(({ bound }) => options.catalogue.byId.get(bound.roleId)?.flags.has('cluster') === true)
    .map(({ bound }) => options.idOf(bound));
  if (members.length === 0) return [];
  const { rows } = await sql<{ child_id: number }>`
    insert into edge (parent_id, child_id, soft)
    select distinct m.id, e.child_id, e.soft
    from noderole m join noderole sibling on sibling.role_id = m.role_id and sibling.deployment_id = m.deployment_id and sibling.id <> m.id
    join edge e on e.parent_id = sibling.id join noderole c on c.id = e.child_id
    where m.id = any(${members}::bigint[]) and c.deployment_id <> ${options.deploymentId}
    on conflict do nothing returning child_id`.execute(tx);
  return [...new Set(rows.map((row) => row.child_id))];
};

/** Children elsewhere let go of members that leave: the plan made sure that others stay. */
export const pruneClusters = async (
  tx: Tx,
  options: { readonly deploymentId: number; readonly removed: readonly number[] },
): Promise<number[]> => {
  if (options.removed.length === 0) return [];
  const { rows } = await sql<{ child_id: number }>`
    delete from edge e using noderole c
    where e.parent_id = any(${[...options.removed]}::bigint[]) and c.id = e.child_id and c.deployment_id <> ${options.deploymentId}
    returning e.child_id`.execute(tx);
  await sql`
    update attrib_link l set provider_id = p.id
    from noderole gone, lateral (
      select s.id from noderole s where s.role_id = gone.role_id and s.deployment_id = gone.deployment_id
        and not s.removing and not s.id = any(${[...options.removed]}::bigint[]) order by s.node_id limit 1) p
    where gone.id = l.provider_id and gone.id = any(${[...options.removed]}::bigint[])`.execute(tx);
  return [...new Set(rows.map((row) => row.child_id))];
};

/** Cohorts of noderoles below, where a parent of this deployment now stands later; as deep as it goes. */
export const raiseCohortsBelow = async (tx: Tx, deploymentId: number): Promise<void> => {
  let raised: readonly number[] | 'first' = 'first';
  while (raised === 'first' || raised.length > 0) {
    const from: RawBuilder<unknown> =
      raised === 'first'
        ? sql`w.deployment_id = ${deploymentId}`
        : sql`w.id = any(${[...raised]}::bigint[])`;
    const { rows } = await sql<{ id: number }>`
      update noderole c set cohort = p.cohort
      from (
        select e.child_id, max(w.cohort) + 1 as cohort from noderole w join edge e on e.parent_id = w.id
        join noderole k on k.id = e.child_id
        where ${from} and k.deployment_id <> ${deploymentId}
        group by e.child_id) p
      where c.id = p.child_id and c.cohort < p.cohort
      returning c.id`.execute(tx);
    raised = rows.map((row) => row.id);
  }
};
