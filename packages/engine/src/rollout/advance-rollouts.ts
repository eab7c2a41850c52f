/**
 * A commit that goes out by degrees: first the canary's nodes, then at most so many nodes at once,
 * and a halt after so many failures. Nodes still to come have the hold `rolling` on all their work of
 * this commit. A node is under way while it has something in transition, or in todo and could start
 * it; one that only waits for others is not, so nodes that need each other cannot stall the rollout,
 * nor is one that is dead, so it keeps no place that a living one could have.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { emit } from '../event/emit.ts';

interface Rollout {
  readonly id: number;
  readonly deployment_id: number;
  readonly rolling_limit: number | null;
  readonly canary: number | null;
  readonly stop_after_failures: number | null;
  readonly canary_passed_at: Date | null;
}

const lockRollouts = async (
  tx: Tx,
  snapshotIds: readonly number[] | 'all',
): Promise<readonly Rollout[]> => {
  const which = snapshotIds === 'all' ? sql`true` : sql`id = any(${[...snapshotIds]}::bigint[])`;
  const { rows } = await sql<Rollout>`
    select id, deployment_id, rolling_limit, canary, stop_after_failures, canary_passed_at from snapshot
    where ${which} and state = 'committed' and finished_at is null and halted_at is null
      and (rolling_limit is not null or canary is not null or stop_after_failures is not null)
    order by id for update`.execute(tx);
  return rows;
};

interface Progress {
  readonly held: number;
  readonly released: number;
  readonly under_way: number;
  readonly unfinished: number;
  readonly failures: number;
  readonly failed: string | null;
}

const readProgress = async (tx: Tx, id: number): Promise<Progress> => {
  const { rows } = await sql<Progress>`
    with per_node as (
      select w.node_id, bool_or('rolling' = any(w.holds)) as held,
        bool_or(w.state = 'transition' or (w.state = 'todo' and n.alive and n.available)) as busy,
        bool_or(w.state <> 'active') as unfinished, count(*) filter (where w.state = 'error')::int as failures
      from noderole w join node n on n.id = w.node_id where w.snapshot_id = ${id} group by w.node_id
    )
    select count(*) filter (where held)::int as held, count(*) filter (where not held)::int as released,
      count(*) filter (where not held and busy)::int as under_way, count(*) filter (where not held and unfinished)::int as unfinished,
      coalesce(sum(failures), 0)::int as failures,
      (select format('%s on %s: %s', r.name, n.name, w.reason) from noderole w join role r on r.id = w.role_id join node n on n.id = w.node_id
        where w.snapshot_id = ${id} and w.state = 'error' order by w.state_since limit 1) as failed
    from per_node`.execute(tx);
  return (
    rows[0] ?? { held: 0, released: 0, under_way: 0, unfinished: 0, failures: 0, failed: null }
  );
};

const release = async (tx: Tx, id: number, nodes: number): Promise<void> => {
  if (nodes <= 0) return;
  await sql`
    with next as (
      select distinct node_id from noderole where snapshot_id = ${id} and 'rolling' = any(holds) order by node_id limit ${nodes}
    )
    update noderole w set holds = array_remove(w.holds, 'rolling') from next
    where w.node_id = next.node_id and w.snapshot_id = ${id} and 'rolling' = any(w.holds)`.execute(
    tx,
  );
};

/**
 * A canary that waits for a node still held gets that node, and no other: one that waits for an error
 * elsewhere must not let the rest go, node by node.
 */
const releaseNeeded = async (tx: Tx, id: number): Promise<void> => {
  await sql`
    with next as (
      select p.node_id from noderole c join edge e on e.child_id = c.id and not e.soft join noderole p on p.id = e.parent_id
      where c.snapshot_id = ${id} and c.state = 'blocked' and not 'rolling' = any(c.holds)
        and p.snapshot_id = ${id} and 'rolling' = any(p.holds)
      order by p.node_id limit 1
    )
    update noderole w set holds = array_remove(w.holds, 'rolling') from next
    where w.node_id = next.node_id and w.snapshot_id = ${id} and 'rolling' = any(w.holds)`.execute(
    tx,
  );
};

const halt = async (tx: Tx, rollout: Rollout, reason: string): Promise<void> => {
  await sql`update snapshot set halted_at = now(), halted_reason = ${reason} where id = ${rollout.id}`.execute(
    tx,
  );
  await sql`
    update noderole set holds = array_append(holds, 'halted')
    where snapshot_id = ${rollout.id} and state in ('todo', 'blocked') and not 'halted' = any(holds)`.execute(
    tx,
  );
  await emit(tx, {
    kind: 'snapshot.halted',
    deploymentId: rollout.deployment_id,
    payload: { snapshotId: rollout.id, reason },
  });
};

const advance = async (tx: Tx, rollout: Rollout): Promise<void> => {
  const progress = await readProgress(tx, rollout.id);
  const stop = rollout.stop_after_failures;
  if (stop !== null && progress.failures >= stop)
    return halt(
      tx,
      rollout,
      `stopped after ${progress.failures} failure${progress.failures === 1 ? '' : 's'}; first: ${progress.failed}`,
    );
  if (rollout.canary !== null && rollout.canary_passed_at === null) {
    if (progress.failures > 0) return halt(tx, rollout, `the canary failed: ${progress.failed}`);
    if (progress.released < rollout.canary && progress.held > 0)
      return release(tx, rollout.id, rollout.canary - progress.released);
    if (progress.unfinished > 0) {
      if (progress.under_way === 0) await releaseNeeded(tx, rollout.id);
      return undefined;
    }
    await sql`update snapshot set canary_passed_at = now() where id = ${rollout.id}`.execute(tx);
  }
  if (progress.held > 0)
    await release(
      tx,
      rollout.id,
      rollout.rolling_limit === null ? progress.held : rollout.rolling_limit - progress.under_way,
    );
  return undefined;
};

export const advanceRollouts = async (
  tx: Tx,
  snapshotIds: readonly number[] | 'all',
): Promise<void> => {
  for (const rollout of await lockRollouts(tx, snapshotIds)) await advance(tx, rollout);
};

/** A committed snapshot whose noderoles are all active is finished, and says so once. */
export const finishSnapshots = async (tx: Tx): Promise<void> => {
  const { rows } = await sql<{ id: number; deployment_id: number; revision: number }>`
    update snapshot s set finished_at = now()
    where s.state = 'committed' and s.finished_at is null
      and s.id not in (select w.snapshot_id from unsettled u join noderole w on w.id = u.noderole_id where w.snapshot_id is not null)
    returning s.id, s.deployment_id, s.revision`.execute(tx);
  for (const row of rows)
    await emit(tx, {
      kind: 'snapshot.finished',
      deploymentId: row.deployment_id,
      payload: { snapshotId: row.id, revision: row.revision },
    });
};
