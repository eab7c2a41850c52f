/** Events for a page that is read backwards: newest first. Following goes through readEvents. */
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { nodesOf } from '../noderole/nodes-of.ts';
import type { EventFilter, EventRecord } from './read.ts';

export const listEvents = async (
  db: Db | Tx,
  wish: {
    readonly filter: EventFilter;
    readonly before?: number | undefined;
    readonly limit: number;
  },
): Promise<EventRecord[]> => {
  const { filter } = wish;
  const where: RawBuilder<unknown>[] = [sql`b.position is not null`];
  // the row first, which an index knows; then the events in it
  if (wish.before !== undefined)
    where.push(sql`e.row_id < ${wish.before}`, sql`e.id < ${wish.before}`);
  if (filter.deploymentIds !== undefined)
    where.push(sql`e.deployment_id = any(${filter.deploymentIds})`);
  if (filter.nodeIds !== undefined) where.push(sql`e.node_id = any(${filter.nodeIds})`);
  // by way of the node, whose events are indexed
  if (filter.noderoleIds !== undefined)
    where.push(
      sql`e.noderole_id = any(${filter.noderoleIds})`,
      sql`e.node_id = any(array(${nodesOf(filter.noderoleIds)}))`,
    );
  if (filter.runIds !== undefined) where.push(sql`e.run_id = any(${filter.runIds})`);
  if (filter.kinds !== undefined) {
    const exact = filter.kinds.filter((kind) => !kind.endsWith('.*'));
    const families = filter.kinds
      .filter((kind) => kind.endsWith('.*'))
      .map((kind) => kind.slice(0, -2));
    where.push(sql`(e.kind = any(${exact}) or split_part(e.kind, '.', 1) = any(${families}))`);
  }
  const { rows } = await sql<EventRecord>`
    select b.position, e.id, e.kind, e.at, e.deployment_id as "deploymentId", e.node_id as "nodeId",
      e.noderole_id as "noderoleId", e.run_id as "runId", e.payload
    from event_record e join event_batch b on b.id = e.batch_id
    where ${sql.join(where, sql` and `)} order by e.row_id desc, e.step desc limit ${wish.limit}`.execute(
    db,
  );
  return rows;
};
