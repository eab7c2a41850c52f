/**
 * A noderole that failed is named by all that hang on it: blocked descendants say by whom, active
 * ones are degraded by it. The marks last as long as the error. States are not touched here:
 * `pending` decides those.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

const lock = async (tx: Tx, ids: readonly number[]): Promise<void> => {
  await sql`select from noderole where id = any(${[...ids]}::bigint[]) order by id for update`.execute(
    tx,
  );
};

export const markDescendants = async (tx: Tx, failed: readonly number[]): Promise<void> => {
  const { rows } = await sql<{ id: number; root: number }>`
    with recursive down as (
      select e.child_id as id, e.parent_id as root from edge e where e.parent_id = any(${[...failed]}::bigint[]) and not e.soft
      union
      select e.child_id, d.root from down d join edge e on e.parent_id = d.id where not e.soft
    )
    select id, min(root) as root from down group by id order by id`.execute(tx);
  if (rows.length === 0) return;
  await lock(
    tx,
    rows.map((row) => row.id),
  );
  await sql`
    update noderole w set
      blocked_by = case when w.state = 'blocked' then m.root end,
      degraded_by = case when w.state = 'active' then m.root end,
      reason = format('%s on %s failed: %s', r.name, n.name, root.reason)
    from unnest(${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.root)}::bigint[]) as m(id, root)
    join noderole root on root.id = m.root join role r on r.id = root.role_id join node n on n.id = root.node_id
    where w.id = m.id and w.state in ('blocked', 'active') and w.blocked_by is null and w.degraded_by is null`.execute(
    tx,
  );
};

/** Errors above these, which would still hold or degrade them. */
const failedAncestors = async (tx: Tx, ids: readonly number[]): Promise<readonly number[]> => {
  const { rows } = await sql<{ id: number }>`
    with recursive up as (
      select e.parent_id as id from edge e where e.child_id = any(${[...ids]}::bigint[]) and not e.soft
      union
      select e.parent_id from up u join edge e on e.child_id = u.id where not e.soft
    )
    select w.id from up join noderole w on w.id = up.id where w.state = 'error' order by w.id`.execute(
    tx,
  );
  return rows.map((row) => row.id);
};

export const unmarkDescendants = async (tx: Tx, recovered: readonly number[]): Promise<void> => {
  const { rows } = await sql<{ id: number }>`
    select id from noderole where blocked_by = any(${[...recovered]}::bigint[]) or degraded_by = any(${[...recovered]}::bigint[])
    order by id for update`.execute(tx);
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id);
  await sql`
    update noderole set blocked_by = null, degraded_by = null,
      reason = case when state in ('blocked', 'active') then '' else reason end
    where id = any(${ids}::bigint[])`.execute(tx);
  const others = await failedAncestors(tx, ids);
  if (others.length > 0) await markDescendants(tx, others);
};

/** It came to rest while an ancestor had failed meanwhile. */
export const markFromParents = async (tx: Tx, ids: readonly number[]): Promise<void> => {
  const failed = await failedAncestors(tx, ids);
  if (failed.length > 0) await markDescendants(tx, failed);
};
