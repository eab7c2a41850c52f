/**
 * Carries removals on, children first: a noderole that is to go and has no child left gets its
 * teardown run if its role has one and it ever ran; otherwise, or after it, the row goes.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { dropNoderoles } from './drop-noderoles.ts';

interface Leaf {
  readonly id: number;
  readonly node_id: number;
  readonly role_id: number;
  readonly deployment_id: number;
  readonly lane: string;
  readonly jig: string;
  readonly teardown: boolean;
  readonly deadline_seconds: number;
}

const leaves = async (tx: Tx): Promise<readonly Leaf[]> => {
  const { rows } = await sql<Leaf>`
    select w.id, w.node_id, w.role_id, w.deployment_id, w.lane, r.jig, r.deadline_seconds,
           r.teardown and (w.run_count > 0 or w.failures > 0) as teardown
    from noderole w join role r on r.id = w.role_id
    where w.removing and w.run_id is null and not (w.state = 'error' and w.reason like 'teardown failed%')
      and not exists (select from edge e where e.parent_id = w.id and not e.soft)
      and not exists (select from run q where q.noderole_id = w.id and q.status = 'queued')
    order by w.id for update of w`.execute(tx);
  return rows;
};

const queueTeardowns = async (tx: Tx, rows: readonly Leaf[]): Promise<void> => {
  if (rows.length === 0) return;
  await sql`
    insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, kind, status, cause, deadline_at)
    select t.*, 'teardown', 'queued', 'unbound', now() + t2.seconds * interval '1 second'
    from unnest(${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.node_id)}::bigint[], ${rows.map((row) => row.role_id)}::bigint[],
      ${rows.map((row) => row.deployment_id)}::bigint[], ${rows.map((row) => row.lane)}::text[], ${rows.map((row) => row.jig)}::text[])
      as t(noderole_id, node_id, role_id, deployment_id, lane, jig)
    join unnest(${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.deadline_seconds)}::int[]) as t2(id, seconds) on t2.id = t.noderole_id`.execute(
    tx,
  );
};

export const advanceRemovals = async (
  tx: Tx,
  options: { readonly gone?: readonly number[] } = {},
): Promise<void> => {
  if (options.gone !== undefined) await dropNoderoles(tx, options.gone);
  for (;;) {
    const next = await leaves(tx);
    if (next.length === 0) return;
    await queueTeardowns(
      tx,
      next.filter((leaf) => leaf.teardown),
    );
    const bare = next.filter((leaf) => !leaf.teardown);
    if (bare.length === 0) return;
    await dropNoderoles(
      tx,
      bare.map((leaf) => leaf.id),
    );
  }
};
