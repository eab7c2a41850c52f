/**
 * After a restore nobody knows what happened to the machines since the backup: what a person allowed
 * to be erased then may have been installed and filled meanwhile. Consents that were not used are
 * withdrawn, and destructive runs that were under way are cancelled; whoever still means it says so
 * again, of the disks as they are now.
 */
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { stopRuns } from '../run/stop-runs.ts';

export interface Withdrawn {
  readonly consents: number;
  readonly runs: number;
}

const WHY =
  'the system was restored from a backup: what was to be erased may hold something else by now';

export const withdrawConsents = async (db: Db): Promise<Withdrawn> =>
  transaction(db, async (tx) => {
    const { rows: unused } = await sql<{ id: number }>`
      delete from consent where used_by_run is null returning id`.execute(tx);
    // an erasure that was to follow its teardowns is a consent not yet used
    const { rows: waiting } = await sql<{ id: number }>`
      update node_release set failed = ${`${WHY}; nothing was erased`}, deadline_at = now() + interval '7 days'
      where failed is null returning node_id as id`.execute(tx);
    const { rows: live } = await sql<{ id: number }>`
      select r.id from run r join role o on o.id = r.role_id
      where o.destructive and r.kind = 'run' and r.status in ('running', 'waiting') order by r.id for update of r`.execute(
      tx,
    );
    const stopped = await stopRuns(tx, { runIds: live.map((run) => run.id), why: WHY });
    return { consents: unused.length + waiting.length, runs: stopped.length };
  });
