import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { stopRuns } from './stop-runs.ts';

/** Cancels one run: a queued one at once, a live one as soon as its jig lets go, or its time is up. */
export const cancelRun = async (
  db: Db,
  options: { readonly runId: number; readonly actor: string },
): Promise<'cancelled' | 'cancelling'> =>
  transaction(db, async (tx) => {
    const why = `cancelled by ${options.actor}`;
    const { rows } = await sql<{ status: string; kind: string; noderole_id: number }>`
      select status, kind, noderole_id from run where id = ${options.runId} for update`.execute(tx);
    const run = rows[0];
    if (run === undefined)
      throw new HostwrightError('not_found', { message: `there is no run ${options.runId}` });
    if (run.status === 'queued') {
      await sql`update run set status = 'cancelled', ended_at = now(), error = ${why}, blame = 'operator' where id = ${options.runId}`.execute(
        tx,
      );
      if (run.kind === 'teardown')
        await sql`
          update noderole set state = 'error', state_since = now(), failures = failures + 1, reason = ${`teardown failed: ${why}`}
          where id = ${run.noderole_id} and removing`.execute(tx);
      return 'cancelled';
    }
    if (run.status === 'cancelling') return 'cancelling';
    const stopped = await stopRuns(tx, { runIds: [options.runId], why });
    if (stopped.length === 0)
      throw new HostwrightError('conflict', {
        message: `run ${options.runId} has ended: ${run.status}`,
      });
    return 'cancelling';
  });
