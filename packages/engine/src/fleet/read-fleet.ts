/**
 * Every node in one read, as rows for columns. One pass over node and one over noderole, whatever
 * the number of nodes; the server turns it into columns and keeps it while nothing has happened.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import type { NodeRollup } from '../node/list-nodes.ts';

export interface FleetRow {
  readonly id: number;
  readonly name: string;
  readonly deploymentId: number;
  readonly alive: boolean;
  readonly available: boolean;
  readonly admin: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly rollup: NodeRollup;
  readonly attention: boolean;
  readonly active: number;
  readonly total: number;
}

export const readFleet = async (db: Db | Tx): Promise<FleetRow[]> => {
  const { rows } = await sql<FleetRow>`
    with own as materialized (select id from role where not discovery and not bootstrap),
    work as (
      select nr.node_id, count(*)::int as total, count(*) filter (where nr.state = 'active')::int as active,
        bool_or(nr.state = 'error') as error, bool_or(nr.state = 'transition') as transition,
        bool_or(nr.state = 'todo') as todo, bool_or(nr.state = 'blocked') as blocked,
        bool_or(nr.state = 'proposed') as proposed, bool_or(nr.drifted or nr.degraded_by is not null) as attention,
        bool_or(nr.role_id in (select id from own)) as own
      from noderole nr group by nr.node_id
    )
    select n.id, n.name, n.deployment_id as "deploymentId", n.alive, n.available, n.admin, n.labels,
      case when w.error then 'error' when w.transition then 'transition' when w.todo then 'todo'
        when w.blocked then 'blocked' when w.proposed then 'proposed' when w.own then 'active' else 'undefined' end as rollup,
      coalesce(w.attention, false) as attention, coalesce(w.active, 0) as active, coalesce(w.total, 0) as total
    from node n left join work w on w.node_id = n.id
    where n.deleted_at is null order by n.id`.execute(db);
  return rows;
};

export const countFleet = async (
  db: Db | Tx,
): Promise<{ readonly nodes: number; readonly noderoles: number }> => {
  const { rows } = await sql<{ nodes: number; noderoles: number }>`
    select (select count(*)::int from node where deleted_at is null) as nodes,
           (select count(*)::int from noderole) as noderoles`.execute(db);
  return rows[0] ?? { nodes: 0, noderoles: 0 };
};
