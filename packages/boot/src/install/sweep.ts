/**
 * Turns what ended nowhere into an error with a reason: phases past their deadline, and installations
 * whose run was cancelled or lost. Run by a tick; finding nothing costs one index scan.
 */
import { transaction, type Db, type Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { missingAcks, readAcks } from '../feed/acks.ts';
import { cleanUpInstall } from './end.ts';
import { PHASE_WAITS_FOR, type LivePhase } from './phase.ts';
import { setPhase } from './set-phase.ts';
import { tellRun } from './tell-run.ts';

const ALL: readonly LivePhase[] = ['acks', 'power', 'boot', 'installing', 'restart'];

/** Which servers did not acknowledge, and what each said of it last. */
const tellMissing = async (tx: Tx, row: { readonly node_id: number; readonly phase: LivePhase }) =>
  row.phase === 'acks'
    ? missingAcks(await readAcks(tx, row.node_id))
        .map((ack) => `; ${ack.server} has not${ack.error === null ? '' : `: ${ack.error}`}`)
        .join('')
    : '';

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
        ? `nothing came of it in time: it waited for ${PHASE_WAITS_FOR[row.phase]} (phase ${row.phase})${await tellMissing(tx, row)}`
        : `the run ended in phase ${row.phase}`;
      if (!(await setPhase(tx, { runId: row.run_id, from: ALL, to: 'failed', error }))) return;
      await cleanUpInstall(tx, { nodeId: row.node_id, runId: row.run_id, reason: error });
      if (row.live) await tellRun(tx, { runId: row.run_id, payload: { kind: 'failed' } });
    });
  }
  return rows.length;
};
