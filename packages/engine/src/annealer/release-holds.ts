/**
 * Takes away holds whose reason is gone: the deployment goes on, the jig is back, the soft parent is
 * at rest, the time has come. Asked by whoever removes a reason, and by the tick, so none is for ever.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { requestRefresh } from '../noderole/request-refresh.ts';

export const releaseHolds = async (tx: Tx): Promise<void> => {
  await sql`
    with recursive paused as (
      select id from deployment where paused union select d.id from deployment d join paused p on d.parent_id = p.id
    ), held as (
      select w.id, w.holds, array(
          select h from unnest(w.holds) h where not (
            (h = 'backoff' and (w.not_before is null or w.not_before <= now()))
            or (h = 'paused' and p.id is null)
            or (h = 'jig' and j.active)
            or (h = 'order' and not exists (
              select from edge e join noderole s on s.id = e.parent_id left join noderole root on root.id = s.blocked_by
              where e.child_id = w.id and e.soft and (s.state in ('todo', 'transition') or (s.state = 'blocked' and root.state is distinct from 'error'))))
          )) as keep
      from noderole w join role r on r.id = w.role_id join jig j on j.name = r.jig left join paused p on p.id = w.deployment_id
      where w.holds && array['backoff', 'paused', 'jig', 'order']
      -- locked, so that a hold given meanwhile is not written over
      order by w.id for update of w
    )
    update noderole w set holds = h.keep, not_before = case when 'backoff' = any(h.keep) then w.not_before end
    from held h where h.id = w.id and h.keep <> h.holds`.execute(tx);
  const { rows } = await sql<{ id: number }>`
    with recursive paused as (
      select id from deployment where paused union select d.id from deployment d join paused p on d.parent_id = p.id
    )
    update noderole w set stale = false from role r, jig j
    where w.state = 'active' and w.stale and r.id = w.role_id and j.name = r.jig and j.active
      and w.deployment_id not in (select id from paused)
    returning w.id`.execute(tx);
  await requestRefresh(tx, { noderoleIds: rows.map((row) => row.id), cause: 'put off earlier' });
};

/** Only those whose time has come: cheap enough for every tick. */
export const releaseBackoff = async (db: Db): Promise<void> => {
  const due = sql`not_before is not null and not_before <= now()`;
  if ((await sql`select from noderole where ${due} limit 1`.execute(db)).rows.length === 0) return;
  await transaction(db, async (tx) => {
    await sql`select from noderole where ${due} order by id for update`.execute(tx);
    await sql`update noderole set holds = array_remove(holds, 'backoff'), not_before = null where ${due}`.execute(
      tx,
    );
  });
};
