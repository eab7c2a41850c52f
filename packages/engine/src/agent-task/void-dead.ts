import { sql } from 'kysely';
import type { Db } from '../db/open.ts';

/** Tasks whose run ended without them (deadline, fenced, node lost): drops their bundles. */
export const voidDeadTasks = async (db: Db): Promise<number> => {
  const done = await sql`
    update agent_task t set status = 'void', bundle = null, masks = null, updated_at = now()
    where t.status in ('offered', 'started')
      and not exists (select 1 from run r where r.id = t.run_id
        and r.status in ('running', 'waiting', 'cancelling'))`.execute(db);
  return Number(done.numAffectedRows ?? 0n);
};
