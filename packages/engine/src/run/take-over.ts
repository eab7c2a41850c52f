/**
 * Runs of workers whose lease has run out. A jig that can recover gets its run back here, under a new
 * token; any other run is fenced and its noderole goes back to todo - but a destructive one is never
 * simply run again: it becomes an error that says so. A run that had been resumed goes back to
 * waiting for the evidence it already has, and the worker that had resumed it is fenced.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { CAUSE_LIMIT, WORKER_LOST as CAUSE } from './decide-ending.ts';
import type { ClaimedRun } from './claimed-run.ts';
import { holdHalted } from '../rollout/hold-halted.ts';
import { completeRuns } from './complete-runs.ts';
import { loadRuns } from './load-runs.ts';

interface Orphan {
  readonly id: number;
  readonly token: number;
  readonly status: string;
  readonly kind: string;
  readonly jig: string;
  readonly waiting_for: string | null;
  readonly noderole_id: number;
  readonly destructive: boolean;
  readonly cause: string;
  readonly cause_count: number;
}

const BATCH = 500;

const lockOrphans = async (tx: Tx, lost: readonly number[]): Promise<readonly Orphan[]> => {
  const { rows } = await sql<Orphan>`
    select r.id, r.token, r.status, r.kind, r.jig, r.waiting_for, r.noderole_id, o.destructive,
           coalesce(w.cause, '') as cause, coalesce(w.cause_count, 0) as cause_count
    from run r join role o on o.id = r.role_id left join noderole w on w.id = r.noderole_id
    where r.status in ('running', 'cancelling') and r.worker_id is not null
      and (r.id = any(${[...lost]}::bigint[]) or not exists (select from worker k where k.id = r.worker_id and k.lease_until > now()))
    order by r.id limit ${BATCH} for update of r skip locked`.execute(tx);
  return rows;
};

/** Under a new token, so that whatever the old worker still says is void. */
const adopt = async (
  tx: Tx,
  runs: readonly Orphan[],
  workerId: number,
): Promise<readonly ClaimedRun[]> => {
  if (runs.length === 0) return [];
  await sql`
    update run set worker_id = ${workerId}::bigint, token = nextval('fencing_token'), attempt = attempt + 1
    where id = any(${runs.map((run) => run.id)}::bigint[])`.execute(tx);
  return loadRuns(
    tx,
    new Map(
      runs.map((run) => [
        run.id,
        run.status === 'cancelling' ? { kind: 'cancel', why: null } : { kind: 'recover' },
      ]),
    ),
  );
};

const backToWaiting = async (tx: Tx, runs: readonly Orphan[]): Promise<void> => {
  if (runs.length === 0) return;
  await sql`
    update run set status = 'waiting', worker_id = null, token = nextval('fencing_token')
    where id = any(${runs.map((run) => run.id)}::bigint[])`.execute(tx);
};

const fenceAndRequeue = async (tx: Tx, runs: readonly Orphan[]): Promise<void> => {
  if (runs.length === 0) return;
  const ids = runs.map((run) => run.id);
  await sql`
    update run set status = 'fenced', ended_at = now(), error = ${CAUSE}, blame = 'us', token = nextval('fencing_token')
    where id = any(${ids}::bigint[])`.execute(tx);
  await sql`select from noderole where id = any(${runs.map((run) => run.noderole_id)}::bigint[]) order by id for update`.execute(
    tx,
  );
  await sql`
    update noderole w set run_id = null, stale = false,
      state = case when w.state <> 'transition' then w.state when w.pending > 0 and not w.removing then 'blocked' else 'todo' end,
      state_since = case when w.state = 'transition' then now() else w.state_since end,
      cause = ${CAUSE}::text, cause_count = case when w.cause = ${CAUSE} then w.cause_count + 1 else 1 end
    where w.run_id = any(${ids}::bigint[])`.execute(tx);
  await holdHalted(
    tx,
    runs.map((run) => run.noderole_id),
  );
  // a refresh or a teardown that was under way is owed still
  await sql`
    insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, kind, status, cause, deadline_at)
    select r.noderole_id, r.node_id, r.role_id, r.deployment_id, r.lane, r.jig, r.kind, 'queued', ${CAUSE}::text,
      case when r.kind = 'teardown' then r.deadline_at end
    from run r join noderole w on w.id = r.noderole_id where r.id = any(${ids}::bigint[]) and r.kind <> 'run' order by r.id
    on conflict (noderole_id) where status = 'queued' do nothing`.execute(tx);
};

export const takeOver = async (
  db: Db,
  options: {
    readonly workerId: number;
    readonly recoverable: readonly string[];
    /** Runs that are a living worker's by name but not in its hands: it never heard that it got them. */
    readonly lost?: readonly number[];
  },
): Promise<readonly ClaimedRun[]> =>
  transaction(db, async (tx) => {
    const orphans = await lockOrphans(tx, options.lost ?? []);
    if (orphans.length === 0) return [];
    const recoverable = new Set(options.recoverable);
    const resumed = orphans.filter((run) => run.status === 'running' && run.waiting_for !== null);
    const rest = orphans.filter((run) => !resumed.includes(run));
    const adopted = rest.filter((run) => run.status === 'cancelling' || recoverable.has(run.jig));
    const lost = rest.filter((run) => !adopted.includes(run));
    const hopeless = lost.filter(
      (run) =>
        (run.destructive && run.kind === 'run') ||
        (run.cause === CAUSE && run.cause_count >= CAUSE_LIMIT),
    );
    await backToWaiting(tx, resumed);
    await completeRuns(
      tx,
      hopeless.map((run) => ({
        runId: run.id,
        token: run.token,
        outcome: {
          kind: 'failed',
          reason: run.destructive
            ? 'its worker was lost in the middle of a destructive run: look at the machine before you retry'
            : `${CAUSE} ${CAUSE_LIMIT} times in a row`,
          retryable: false,
          blame: 'us',
        },
      })),
    );
    await fenceAndRequeue(
      tx,
      lost.filter((run) => !hopeless.includes(run)),
    );
    return adopt(tx, adopted, options.workerId);
  });
