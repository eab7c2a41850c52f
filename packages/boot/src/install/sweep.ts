/**
 * Turns what ended nowhere into an error with a reason: phases past their deadline, and installations
 * whose run was cancelled or lost. One that waits for servers of which none is behind any more - the
 * last may have been taken away - is told so. Run by a tick; finding nothing costs two index scans.
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

/** At every tick until it goes on: what is not behind has acknowledged, or is there no more. */
const tellServed = (db: Db): Promise<void> =>
  transaction(db, async (tx) => {
    const { rows } = await sql<{ run_id: number }>`
      select i.run_id from os_install i where i.phase = 'acks' and not exists (
        select from boot_behind q join boot_server s on s.id = q.server_id and s.active where q.node_id = i.node_id)`.execute(
      tx,
    );
    for (const { run_id: runId } of rows) await tellRun(tx, { runId, payload: { kind: 'acks' } });
  });

export const sweepInstalls = async (db: Db): Promise<number> => {
  await tellServed(db);
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
