/**
 * Asks active noderoles to render their data again while they stay active. However many changes come
 * while one is queued, they make one refresh, and it reads its data when it starts, so none is lost.
 * One that is under way gets a refresh after it. What is still to run needs none.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

export const requestRefresh = async (
  tx: Tx,
  options: { readonly noderoleIds: readonly number[]; readonly cause: string },
): Promise<readonly number[]> => {
  if (options.noderoleIds.length === 0) return [];
  await sql`select from noderole where id = any(${[...options.noderoleIds]}::bigint[]) order by id for update`.execute(
    tx,
  );
  await sql`
    update noderole w set drifted = true, drift_reason = ${options.cause}, revision = w.revision + 1
    from role r where r.id = w.role_id and r.destructive and w.state = 'active' and w.id = any(${[...options.noderoleIds]}::bigint[])`.execute(
    tx,
  );
  const { rows } = await sql<{ noderole_id: number }>`
    insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, kind, status, cause)
    select w.id, w.node_id, w.role_id, w.deployment_id, w.lane, r.jig, 'refresh', 'queued', ${options.cause}::text
    from noderole w join role r on r.id = w.role_id
    where w.id = any(${[...options.noderoleIds]}::bigint[]) and w.state in ('active', 'transition') and not w.removing and not r.destructive
    order by w.id
    on conflict (noderole_id) where status = 'queued' do nothing
    returning noderole_id`.execute(tx);
  return rows.map((row) => row.noderole_id);
};
