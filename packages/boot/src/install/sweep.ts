/**
 * Turns what ended nowhere into an error with a reason: phases past their deadline, and installations
 * whose run was cancelled or lost. Run by a tick; finding nothing costs one index scan.
 */
import { transaction, type Db } from '@hostwright/engine';
import { sql } from 'kysely';
import { cleanUpInstall } from './end.ts';
import { PHASE_WAITS_FOR, type LivePhase } from './phase.ts';
import { setPhase } from './set-phase.ts';
import { tellRun } from './tell-run.ts';

const ALL: readonly LivePhase[] = ['acks', 'power', 'boot', 'installing', 'restart'];

export const sweepInstalls = async (db: Db): Promise<number> => {
  const { rows } = await sql<{
    run_id: number;
    node_id: number;
    phase: LivePhase;
    late: boolean;
    live: boolean;
  }>`
    select i.run_id, i.node_id, i.phase, i.phase_deadline < now() as late, coalesce(r.status in ('running', 'waiting', 'queued'), false) as live
    from os_install i left join run r on r.id = i.run_id
    where i.phase not in ('done', 'failed') and (i.phase_deadline < now() or r.status not in ('running', 'waiting', 'queued') or r.id is null)`.execute(
    db,
  );
  for (const row of rows) {
    await transaction(db, async (tx) => {
      const error = row.live
        ? `nothing came of it in time: it waited for ${PHASE_WAITS_FOR[row.phase]} (phase ${row.phase})`
        : `the run ended in phase ${row.phase}`;
      if (!(await setPhase(tx, { runId: row.run_id, from: ALL, to: 'failed', error }))) return;
      await cleanUpInstall(tx, { nodeId: row.node_id, runId: row.run_id, reason: error });
      if (row.live) await tellRun(tx, { runId: row.run_id, payload: { kind: 'failed' } });
    });
  }
  return rows.length;
};
