/**
 * Nodes with a powersave role that have nothing left to do may be switched off, and on again when
 * work comes. The engine only says so, once per change, as an event `node.power`; whoever has a
 * hammer for the node acts on it.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { emitAll } from '../event/emit.ts';

interface Wish {
  readonly node_id: number;
  readonly deployment_id: number;
  readonly wanted: 'off' | 'on';
}

export const judgePower = async (tx: Tx): Promise<void> => {
  const { rows } = await sql<Wish>`
    select n.id as node_id, n.deployment_id, case when n.alive then 'off' else 'on' end as wanted
    from node n
    left join lateral (
      select e.payload ->> 'wanted' as wanted, e.at from event e where e.node_id = n.id and e.kind = 'node.power' order by e.id desc limit 1
    ) last on true
    where n.deleted_at is null and n.available and not n.admin
      and exists (select from noderole w join role r on r.id = w.role_id where w.node_id = n.id and r.powersave and w.state = 'active')
      and case when n.alive
        then not exists (select from noderole w where w.node_id = n.id and w.state in ('todo', 'blocked', 'transition'))
          and (last.at is null or last.at < n.alive_changed_at)
        else last.wanted = 'off' and exists (select from node_lane l where l.node_id = n.id and l.ready > 0)
      end`.execute(tx);
  await emitAll(
    tx,
    rows.map((row) => ({
      kind: 'node.power',
      nodeId: row.node_id,
      deploymentId: row.deployment_id,
      payload: {
        wanted: row.wanted,
        reason: row.wanted === 'off' ? 'powersave: nothing left to do' : 'powersave: there is work',
      },
    })),
  );
};
