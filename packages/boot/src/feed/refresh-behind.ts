/**
 * Database roles whose servers are behind are refreshed; a new server is taken up by the one there is. One that is in error because a server is
 * dead is tried again: at once for a server that lives, now and then for the dead one.
 */
import { requestRefresh, requestRuns, transaction, type Database } from '@hostwright/engine';
import { sql } from 'kysely';

const CAUSE = 'nodes or addresses changed';

export const refreshBehind = async (database: Database): Promise<void> => {
  const { rows } = await sql<{ id: number; state: string }>`
    select distinct w.id, w.state from boot_server s
    join noderole w on not w.removing and w.id = coalesce(s.noderole_id, (
      select d.id from noderole d join role r on r.id = d.role_id
      where s.server_noderole_id is not null and r.name = case s.kind when 'bind' then 'dns-database' else 'provisioner-dhcp-database' end
      order by d.id limit 1))
    where s.active
      and (w.state in ('active', 'transition') or w.state = 'error' and (s.error is null or w.state_since < now() - interval '15 seconds'))
      and exists (select 1 from boot_behind q where q.server_id = s.id)`.execute(database.db);
  if (rows.length === 0) return;
  const of = (wanted: boolean) =>
    rows.filter((row) => (row.state === 'error') === wanted).map((row) => row.id);
  await transaction(database.db, async (tx) => {
    await requestRefresh(tx, { noderoleIds: of(false), cause: CAUSE });
    await requestRuns(tx, { noderoleIds: of(true), cause: CAUSE, actor: 'the boot keeper' });
  });
};
