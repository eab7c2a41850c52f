/** Writes what the end of runs decided: one statement for the runs, one for all noderoles, one for the log. */
import type { JsonObject, NoderoleState, RunStatus } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

export interface LogLine {
  readonly at: number;
  readonly stream: 'out' | 'err' | 'jig';
  readonly text: string;
}

export interface RunChange {
  readonly id: number;
  readonly status: RunStatus;
  readonly error: string | null;
  readonly blame: string | null;
  readonly retryable: boolean | null;
  readonly waitingFor: string | null;
  readonly memo: JsonObject | null;
  readonly deadline: Date | null;
  readonly log: readonly LogLine[];
}

export const writeRuns = async (tx: Tx, changes: readonly RunChange[]): Promise<void> => {
  const { rows } = await sql<{ id: number; first: number }>`
    update run r set status = c.status, error = c.error, blame = c.blame, retryable = c.retryable, waiting_for = c.waiting_for,
      memo = coalesce(c.memo::jsonb, r.memo), deadline_at = coalesce(c.deadline, r.deadline_at), log_lines = r.log_lines + c.lines,
      worker_id = case when c.status in ('waiting', 'cancelling') then null else r.worker_id end,
      ended_at = case when c.status in ('waiting', 'cancelling') then null else now() end
    from unnest(
      ${changes.map((change) => change.id)}::bigint[], ${changes.map((change) => change.status)}::text[],
      ${changes.map((change) => change.error)}::text[], ${changes.map((change) => change.blame)}::text[],
      ${changes.map((change) => change.retryable)}::boolean[], ${changes.map((change) => change.waitingFor)}::text[],
      ${changes.map((change) => (change.memo === null ? null : JSON.stringify(change.memo)))}::text[],
      ${changes.map((change) => change.deadline)}::timestamptz[], ${changes.map((change) => change.log.length)}::int[]
    ) as c(id, status, error, blame, retryable, waiting_for, memo, deadline, lines)
    where r.id = c.id
    returning r.id, r.log_lines - c.lines as first`.execute(tx);
  const first = new Map(rows.map((row) => [row.id, row.first]));
  await writeLog(
    tx,
    changes.flatMap((change) =>
      change.log.map((line, index) => ({
        ...line,
        runId: change.id,
        seq: (first.get(change.id) ?? 0) + index + 1,
      })),
    ),
  );
};

export const writeLog = async (
  tx: Tx,
  lines: readonly (LogLine & { readonly runId: number; readonly seq: number })[],
): Promise<void> => {
  if (lines.length === 0) return;
  await sql`
    insert into run_log (run_id, seq, at, stream, text)
    select l.run_id, l.seq, to_timestamp(l.at), l.stream, l.text from unnest(
      ${lines.map((line) => line.runId)}::bigint[], ${lines.map((line) => line.seq)}::int[],
      ${lines.map((line) => line.at / 1000)}::float8[], ${lines.map((line) => line.stream)}::text[],
      ${lines.map((line) => line.text.replaceAll('\0', '\u{fffd}'))}::text[]
    ) as l(run_id, seq, at, stream, text)`.execute(tx);
};

/** All columns that the end of a run may change, for the noderole itself or a child of it. */
export interface NoderoleChange {
  readonly id: number;
  state: NoderoleState;
  pending: number;
  holds: readonly string[];
  reason: string | null;
  blockedBy: number | null;
  degradedBy: number | null;
  stale: boolean;
  drifted: boolean;
  driftReason: string | null;
  wall: JsonObject | null;
  inputHash: string | null;
  outputHash: string | null;
  runId: number | null;
  ran: boolean;
  failures: number;
  cause: string;
  causeCount: number;
  backoffSeconds: number | null;
}

export const writeNoderoles = async (tx: Tx, changes: readonly NoderoleChange[]): Promise<void> => {
  if (changes.length === 0) return;
  await sql`
    update noderole w set state = c.state,
      state_since = case when w.state <> c.state then now() else w.state_since end,
      pending = c.pending, holds = string_to_array(c.holds, ','), reason = coalesce(c.reason, w.reason), blocked_by = c.blocked_by,
      degraded_by = c.degraded_by, stale = c.stale, drifted = c.drifted, drift_reason = case when c.drifted then coalesce(c.drift_reason, w.drift_reason) end,
      wall = coalesce(c.wall::jsonb, w.wall), input_hash = c.input_hash, output_hash = c.output_hash, run_id = c.run_id,
      run_count = w.run_count + c.ran::int, failures = c.failures, cause = c.cause, cause_count = c.cause_count,
      not_before = case when c.backoff is not null then now() + c.backoff * interval '1 second' else w.not_before end
    from unnest(
      ${changes.map((change) => change.id)}::bigint[], ${changes.map((change) => change.state)}::text[],
      ${changes.map((change) => change.pending)}::int[], ${changes.map((change) => change.holds.join(','))}::text[],
      ${changes.map((change) => change.reason)}::text[], ${changes.map((change) => change.blockedBy)}::bigint[],
      ${changes.map((change) => change.degradedBy)}::bigint[], ${changes.map((change) => change.stale)}::boolean[],
      ${changes.map((change) => change.drifted)}::boolean[], ${changes.map((change) => change.driftReason)}::text[],
      ${changes.map((change) => (change.wall === null ? null : JSON.stringify(change.wall)))}::text[],
      ${changes.map((change) => change.inputHash)}::text[], ${changes.map((change) => change.outputHash)}::text[],
      ${changes.map((change) => change.runId)}::bigint[], ${changes.map((change) => change.ran)}::boolean[],
      ${changes.map((change) => change.failures)}::int[], ${changes.map((change) => change.cause)}::text[],
      ${changes.map((change) => change.causeCount)}::int[], ${changes.map((change) => change.backoffSeconds)}::int[]
    ) as c(id, state, pending, holds, reason, blocked_by, degraded_by, stale, drifted, drift_reason, wall, input_hash, output_hash,
           run_id, ran, failures, cause, cause_count, backoff)
    where w.id = c.id`.execute(tx);
};
