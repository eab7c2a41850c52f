/** A worker driven by hand, one step at a time: what a test claims, it holds until it reports. */
import {
  claimRuns,
  registerWorker,
  reportRuns,
  type ClaimedRun,
  type Completion,
  type Db,
  type Outcome,
} from '@hostwright/engine';
import { sql } from 'kysely';

export interface HandWorker {
  readonly id: number;
  claim(limit?: number): Promise<readonly ClaimedRun[]>;
  report(run: ClaimedRun, outcome: Outcome): Promise<Completion>;
  succeed(run: ClaimedRun | undefined, wall?: Record<string, string | number>): Promise<Completion>;
  fail(run: ClaimedRun | undefined, retryable?: boolean): Promise<Completion>;
  /** Claims and succeeds until nothing is left; the noderoles in the order they ran. */
  finish(): Promise<number[]>;
  /** Its lease has run out, as if it had been killed. */
  die(): Promise<void>;
}

export const handWorker = async (db: Db): Promise<HandWorker> => {
  const id = await registerWorker(db, { name: 'hand', concurrency: 10 });
  await sql`update worker set lease_until = now() + interval '1 hour' where id = ${id}`.execute(db);
  const claim = async (limit = 10) => {
    // lanes whose work was just held back count as looked at: look again
    for (;;) {
      const found = await claimRuns(db, { workerId: id, limit });
      if (found.runs.length > 0 || found.lanes === 0) return found.runs;
    }
  };
  const report = (run: ClaimedRun | undefined, outcome: Outcome) => {
    if (run === undefined) throw new Error('nothing was claimed');
    return reportRuns(db, [
      {
        runId: run.runId,
        token: run.token,
        outcome,
        ...(run.entry.kind === 'resume' && { evidenceId: run.entry.evidenceId }),
      },
    ]);
  };
  return {
    id,
    claim,
    report,
    succeed: (run, wall) => report(run, { kind: 'succeeded', ...(wall && { wall }) }),
    fail: (run, retryable = true) =>
      report(run, { kind: 'failed', reason: 'exit 1', retryable, blame: 'content' }),
    finish: async () => {
      const order: number[] = [];
      for (;;) {
        const runs = await claim();
        if (runs.length === 0) return order;
        for (const run of runs) {
          await report(run, { kind: 'succeeded' });
          order.push(run.noderoleId);
        }
      }
    },
    die: async () => {
      await sql`update worker set lease_until = now() - interval '1 second' where id = ${id}`.execute(
        db,
      );
    },
  };
};

export interface NoderoleRow {
  readonly state: string;
  readonly pending: number;
  readonly holds: string[];
  readonly reason: string;
  readonly blocked_by: number | null;
  readonly degraded_by: number | null;
  readonly drifted: boolean;
  readonly stale: boolean;
  readonly failures: number;
  readonly cause: string;
  readonly run_id: number | null;
  readonly run_count: number;
  readonly not_before: Date | null;
}

export const noderole = async (db: Db, id: number): Promise<NoderoleRow> => {
  const { rows } = await sql<NoderoleRow>`select * from noderole where id = ${id}`.execute(db);
  if (rows[0] === undefined) throw new Error(`noderole ${id} is gone`);
  return rows[0];
};

export const runStatus = async (db: Db, runId: number): Promise<string | undefined> =>
  (await sql<{ status: string }>`select status from run where id = ${runId}`.execute(db)).rows[0]
    ?.status;

/** Counters of all lanes, against what they count. Empty = they are right. */
export const wrongLanes = async (db: Db): Promise<readonly unknown[]> => {
  const { rows } = await sql`
    select l.node_id, l.lane, l.ready, l.busy from node_lane l where
      l.ready <> (select count(*) from noderole w where w.node_id = l.node_id and w.lane = l.lane and w.state = 'todo' and w.holds = '{}')
        + (select count(*) from run r where r.node_id = l.node_id and r.lane = l.lane and r.status = 'queued')
      or l.queued <> (select count(*) from run r where r.node_id = l.node_id and r.lane = l.lane and r.status = 'queued')
      or l.busy <> exists (select from run r where r.node_id = l.node_id and r.lane = l.lane and r.status in ('running', 'waiting', 'cancelling'))`.execute(
    db,
  );
  return rows;
};

/** Counters of pending parents, against the parents. Empty = they are right. */
export const wrongPending = async (db: Db): Promise<readonly unknown[]> => {
  const { rows } = await sql`
    select w.id, w.state, w.pending from noderole w where
      w.pending <> (select count(*) from edge e join noderole p on p.id = e.parent_id where e.child_id = w.id and not e.soft and p.state <> 'active')
      or (w.state = 'todo' and w.pending > 0 and not w.removing) or (w.state = 'blocked' and w.pending = 0)`.execute(
    db,
  );
  return rows;
};
