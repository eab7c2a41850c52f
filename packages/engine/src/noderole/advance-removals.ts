/**
 * Carries removals on, children first: a noderole that is to go and has no child left gets its
 * teardown run if its role has one and it ever started; otherwise, or after it, the row goes. A
 * teardown that failed waits for a retry or for `abandon`.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { dropNoderoles } from './drop-noderoles.ts';

interface Leaf {
  readonly id: number;
  readonly teardown: boolean;
}

const leaves = async (tx: Tx): Promise<readonly Leaf[]> => {
  const { rows } = await sql<Leaf>`
    with recursive paused as (
      select id from deployment where paused union select d.id from deployment d join paused p on d.parent_id = p.id
    )
    select w.id, r.teardown and (w.run_count > 0 or w.failures > 0) as teardown
    from noderole w join role r on r.id = w.role_id join jig j on j.name = r.jig
    where w.removing and w.run_id is null and j.active and w.deployment_id not in (select id from paused)
      and not exists (select from edge e where e.parent_id = w.id and not e.soft)
      and not exists (
        select from run t where t.node_id = w.node_id and t.noderole_id = w.id and t.kind = 'teardown' and t.status <> 'fenced'
          -- cancelled by nobody: put off, because its deployment was paused or its jig off
          and not (t.status = 'cancelled' and t.blame is null))
    order by w.id for update of w`.execute(tx);
  return rows;
};

const queueTeardowns = async (tx: Tx, ids: readonly number[]): Promise<void> => {
  if (ids.length === 0) return;
  await sql`
    insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, kind, status, cause, deadline_at)
    select w.id, w.node_id, w.role_id, w.deployment_id, w.lane, r.jig, 'teardown', 'queued', 'unbound', now() + r.deadline_seconds * interval '1 second'
    from noderole w join role r on r.id = w.role_id where w.id = any(${[...ids]}::bigint[]) order by w.id
    on conflict (noderole_id) where status = 'queued' do nothing`.execute(tx);
};

/**
 * Teardowns that failed are tried once more; returns those. One that is under way is left alone: a
 * second would be queued behind it. One that has children left comes after them, by itself.
 */
export const retryTeardowns = async (
  tx: Tx,
  ids: readonly number[],
): Promise<readonly number[]> => {
  if (ids.length === 0) return [];
  const failed = await sql<{ id: number }>`
    update noderole set state = 'todo', state_since = now(), reason = '', holds = array_append(array_remove(holds, 'removing'), 'removing')
    where id = any(${[...ids]}::bigint[]) and removing and state = 'error' returning id`.execute(
    tx,
  );
  const retried = failed.rows.map((row) => row.id);
  const { rows } = await sql<{ id: number }>`
    select w.id from noderole w
    where w.id = any(${retried}::bigint[]) and not exists (select from edge e where e.parent_id = w.id and not e.soft)`.execute(
    tx,
  );
  await queueTeardowns(
    tx,
    rows.map((row) => row.id),
  );
  return retried;
};

export const advanceRemovals = async (
  tx: Tx,
  options: { readonly gone?: readonly number[] } = {},
): Promise<void> => {
  if (options.gone !== undefined) await dropNoderoles(tx, options.gone);
  for (;;) {
    const next = await leaves(tx);
    await queueTeardowns(
      tx,
      next.filter((leaf) => leaf.teardown).map((leaf) => leaf.id),
    );
    const bare = next.filter((leaf) => !leaf.teardown).map((leaf) => leaf.id);
    if (bare.length === 0) return;
    await dropNoderoles(tx, bare);
  }
};
