/**
 * Every node in one read, as rows for columns. One pass over node and one over noderole, whatever
 * the number of nodes. Reader and events must agree exactly, because the console counts on from
 * here: so one snapshot of the database says which events the read includes.
 */
import type { NoderoleState, NodeRollup } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { readHead, type Cursor } from '../event/read.ts';

/** What is read anew whenever a node changes. */
export interface FleetNode {
  readonly id: number;
  readonly name: string;
  readonly deploymentId: number;
  readonly alive: boolean;
  readonly available: boolean;
  readonly admin: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

export interface FleetRow extends FleetNode, Readonly<Record<NoderoleState, number>> {
  /** Noderoles outside the system deployment. */
  readonly work: number;
}

export interface FleetRead {
  readonly head: Cursor;
  /** Events that have no position yet and are in this read all the same. */
  readonly seen: readonly number[];
  readonly systemId: number;
  readonly rows: readonly FleetRow[];
}

const NODE = sql`n.id, n.name, n.deployment_id as "deploymentId", n.alive, n.available, n.admin, n.labels`;

export const readFleet = (db: Db): Promise<FleetRead> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const head = await readHead(tx);
      const seen = await sql<{ id: number }>`
        select e.id from event_batch b join event_record e on e.batch_id = b.id where b.position is null`.execute(
        tx,
      );
      const system = await sql<{ id: number }>`select id from deployment where system`.execute(tx);
      const systemId = system.rows[0]?.id ?? 0;
      return {
        head,
        systemId,
        seen: seen.rows.map((row) => row.id),
        rows: await readRows(tx, systemId),
      };
    });

const readRows = async (tx: Tx, systemId: number): Promise<FleetRow[]> => {
  const { rows } = await sql<FleetRow>`
    with work as (
      select nr.node_id,
        count(*) filter (where nr.state = 'proposed')::int as proposed, count(*) filter (where nr.state = 'blocked')::int as blocked,
        count(*) filter (where nr.state = 'todo')::int as todo, count(*) filter (where nr.state = 'transition')::int as transition,
        count(*) filter (where nr.state = 'active')::int as active, count(*) filter (where nr.state = 'error')::int as error,
        count(*) filter (where nr.deployment_id <> ${systemId})::int as work
      from noderole nr group by nr.node_id
    )
    select ${NODE},
      coalesce(w.proposed, 0) as proposed, coalesce(w.blocked, 0) as blocked, coalesce(w.todo, 0) as todo,
      coalesce(w.transition, 0) as transition, coalesce(w.active, 0) as active, coalesce(w.error, 0) as error,
      coalesce(w.work, 0) as work
    from node n left join work w on w.node_id = n.id
    where n.deleted_at is null order by n.id`.execute(tx);
  return rows;
};

/** Those of them that are there; deleted ones are left out. */
export const readFleetNodes = async (db: Db, ids: readonly number[]): Promise<FleetNode[]> => {
  const { rows } = await sql<FleetNode>`
    select ${NODE} from node n where n.id = any(${[...ids]}::bigint[]) and n.deleted_at is null`.execute(
    db,
  );
  return rows;
};

/** Nodes with something degraded or drifted: two small partial indexes. */
export const listAttention = async (db: Db): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select node_id as id from noderole where drifted
    union select node_id from noderole where degraded_by is not null`.execute(db);
  return rows.map((row) => row.id);
};

/** The same rule as in listNodes, from the counts. */
export const rollupOf = (
  row: Omit<FleetRow, keyof FleetNode> & Pick<FleetNode, 'admin'>,
): NodeRollup => {
  if (row.error > 0) return 'error';
  if (row.transition > 0) return 'transition';
  if (row.todo > 0) return 'todo';
  if (row.blocked > 0) return 'blocked';
  if (row.proposed > 0) return 'proposed';
  return row.work > 0 || row.admin ? 'active' : 'undefined';
};

export const countFleet = async (
  db: Db | Tx,
): Promise<{ readonly nodes: number; readonly noderoles: number }> => {
  const { rows } = await sql<{ nodes: number; noderoles: number }>`
    select (select count(*)::int from node where deleted_at is null) as nodes,
           (select count(*)::int from noderole) as noderoles`.execute(db);
  return rows[0] ?? { nodes: 0, noderoles: 0 };
};
