/**
 * Deadlines, whoever was to keep them. A worker ends its own runs in time; this is for those that
 * have no worker (waiting, queued) and for workers that do not do it.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { completeRuns } from './complete-runs.ts';
import { stopRuns } from './stop-runs.ts';
import { tellWorkers } from './tell-workers.ts';

interface Overdue {
  readonly id: number;
  readonly token: number;
  readonly status: string;
  readonly waiting_for: string | null;
  readonly error: string | null;
}

/** How long a worker has to end its own run before others do it. */
const GRACE_SECONDS = 10;

const endLive = async (tx: Tx): Promise<void> => {
  const { rows } = await sql<Overdue>`
    select id, token, status, waiting_for, error from run
    where status in ('running', 'waiting', 'cancelling')
      and deadline_at < now() - case when status = 'running' then ${GRACE_SECONDS} else 0 end * interval '1 second'
    order by id limit 500 for update skip locked`.execute(tx);
  for (const run of rows.filter((row) => row.status === 'waiting'))
    await stopRuns(tx, {
      runIds: [run.id],
      why: `no ${run.waiting_for} before its deadline`,
      overdue: true,
    });
  const ended = await completeRuns(
    tx,
    rows
      .filter((row) => row.status !== 'waiting')
      .map((run) => ({
        runId: run.id,
        token: run.token,
        outcome: { kind: 'cancelled' },
        ...(run.status === 'running' && { overdue: 'deadline passed' }),
      })),
  );
  await tellWorkers(tx, ended.accepted);
};

const endQueued = async (tx: Tx): Promise<void> => {
  const { rows } = await sql<{ noderole_id: number }>`
    update run set status = 'failed', ended_at = now(), error = 'did not start before its deadline', blame = 'node', retryable = true
    where id in (select id from run where status = 'queued' and deadline_at < now() order by id limit 500 for update skip locked)
    returning noderole_id`.execute(tx);
  if (rows.length === 0) return;
  await sql`
    update noderole set state = 'error', state_since = now(), failures = failures + 1,
      reason = 'teardown failed: it did not start before its deadline; retry it, or remove the noderole with abandon'
    where removing and id = any(${rows.map((row) => row.noderole_id)}::bigint[])`.execute(tx);
};

export const endOverdue = async (db: Db): Promise<void> => {
  const { rows } = await sql`
    select from run where status in ('running', 'waiting', 'cancelling') and deadline_at < now()
    union all select from run where status = 'queued' and deadline_at < now() limit 1`.execute(db);
  if (rows.length === 0) return;
  await transaction(db, async (tx) => {
    await endLive(tx);
    await endQueued(tx);
  });
};
