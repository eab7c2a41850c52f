/**
 * Ends a batch of runs in one transaction: lock and read everything, decide, write. A report counts
 * only if its run is live and its token current; any other is void and changes nothing. Whoever has
 * a result - worker, deadline, node death, cancel - comes through here, so there is one way to end.
 */
import { inputsHold, type NoderoleState } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import type { Outcome } from '../jig.ts';
import { applyEnding, applyToChild, unchanged } from './apply-ending.ts';
import { decideEnding } from './decide-ending.ts';
import {
  lockFamily,
  lockLanesOf,
  lockRuns,
  type EndingNoderole,
  type LiveRun,
} from './lock-ending.ts';
import { resolveInputs } from '../attribs/resolve-inputs.ts';
import { noteEnding, nothingTouched, spreadEndings } from './spread-endings.ts';
import {
  writeNoderoles,
  writeRuns,
  type LogLine,
  type NoderoleChange,
  type RunChange,
} from './write-ending.ts';

export interface RunReport {
  readonly runId: number;
  readonly token: number;
  readonly outcome: Outcome;
  readonly log?: readonly LogLine[];
  /** The evidence a resumed run was given: used up by this report. */
  readonly evidenceId?: number;
  /** Ended by its deadline: whatever the jig says, it failed for that reason. */
  readonly overdue?: string;
}

export interface Completion {
  readonly accepted: readonly number[];
  /** Reports with an old token, or of runs that had ended: void. */
  readonly fenced: readonly number[];
}

const asWaiting = (
  run: LiveRun,
  report: RunReport,
  outcome: Extract<Outcome, { kind: 'waiting' }>,
): RunChange => ({
  id: run.id,
  // told to stop while it handed its work to the machine: the machine must now be told too
  status: run.status === 'cancelling' ? 'cancelling' : 'waiting',
  error: run.error,
  blame: run.blame,
  retryable: null,
  waitingFor: outcome.evidence,
  memo: outcome.memo ?? null,
  deadline: outcome.deadline ?? null,
  log: report.log ?? [],
});

const movedInputs = async (
  tx: Tx,
  runs: readonly LiveRun[],
  rows: ReadonlyMap<number, EndingNoderole>,
): Promise<ReadonlySet<number>> => {
  const stale = runs.filter(
    (run) => rows.get(run.noderole_id)?.stale === true && run.kind !== 'teardown',
  );
  if (stale.length === 0) return new Set();
  const fresh = await resolveInputs(
    tx,
    stale.map((run) => run.noderole_id),
  );
  return new Set(
    stale
      .filter(
        (run) => !inputsHold(run.input_hash ?? '', fresh.get(run.noderole_id)?.inputHash ?? ''),
      )
      .map((run) => run.noderole_id),
  );
};

const crossesLanes = (
  rows: ReadonlyMap<number, EndingNoderole>,
  own: readonly number[],
): boolean => {
  const lanes = new Set(own.map((id) => `${rows.get(id)?.node_id} ${rows.get(id)?.lane}`));
  return [...rows.values()].some((row) => !lanes.has(`${row.node_id} ${row.lane}`));
};

export const completeRuns = async (tx: Tx, reports: readonly RunReport[]): Promise<Completion> => {
  if (reports.length === 0) return { accepted: [], fenced: [] };
  const byRun = new Map(reports.map((report) => [report.runId, report]));
  const locked = await lockRuns(tx, [...byRun.keys()]);
  const runs = locked.filter((run) => byRun.get(run.id)?.token === run.token);
  const accepted = new Set(runs.map((run) => run.id));
  const fenced = [...byRun.keys()].filter((id) => !accepted.has(id));
  if (runs.length === 0) return { accepted: [], fenced };

  const ending = runs.filter((run) => byRun.get(run.id)?.outcome.kind !== 'waiting');
  const own = ending.map((run) => run.noderole_id);
  const { rows, edges } = await lockFamily(tx, own);
  if (crossesLanes(rows, own)) await lockLanesOf(tx, rows.values());
  const moved = await movedInputs(tx, ending, rows);

  const changes = new Map<number, NoderoleChange>();
  const changeOf = (row: EndingNoderole): NoderoleChange => {
    const known = changes.get(row.id) ?? unchanged(row);
    changes.set(row.id, known);
    return known;
  };
  const touched = nothingTouched();
  const runChanges: RunChange[] = [];
  const settled = new Map<number, { from: NoderoleState; to: NoderoleState }>();
  for (const run of runs) {
    const report = byRun.get(run.id);
    if (report === undefined) continue;
    const { outcome } = report;
    if (outcome.kind === 'waiting') {
      runChanges.push(asWaiting(run, report, outcome));
      continue;
    }
    const row = rows.get(run.noderole_id);
    const decided = decideEnding({
      outcome,
      kind: run.kind,
      cancelling: run.status === 'cancelling',
      why: report.overdue ?? run.error,
      overdue: report.overdue !== undefined || run.blame === 'node',
      state: row?.state ?? 'error',
      pending: row?.pending ?? 0,
      removing: row?.removing ?? false,
      moved: moved.has(run.noderole_id),
      failures: row?.failures ?? 0,
      cause: row?.cause ?? '',
      causeCount: row?.cause_count ?? 0,
      destructive: run.destructive,
      retryLimit: run.retry_limit,
      retryBackoffSeconds: run.retry_backoff_seconds,
    });
    runChanges.push({
      id: run.id,
      status: decided.status,
      error: decided.error,
      blame: decided.blame,
      retryable: decided.retryable,
      waitingFor: null,
      memo: null,
      deadline: null,
      log: report.log ?? [],
    });
    if (row === undefined || row.run_id !== run.id) continue;
    const change = changeOf(row);
    applyEnding(change, decided, run, 'wall' in outcome ? outcome.wall : undefined);
    noteEnding(touched, row, change, decided);
    settled.set(row.id, { from: row.state, to: change.state });
  }
  for (const edge of edges) {
    const parent = settled.get(edge.parent_id);
    const child = rows.get(edge.child_id);
    if (parent === undefined || child === undefined) continue;
    const delta =
      parent.to === 'active' && parent.from !== 'active'
        ? -1
        : parent.from === 'active' && parent.to !== 'active'
          ? 1
          : 0;
    if (delta !== 0 || (edge.soft && child.holds.includes('order')))
      applyToChild(changeOf(child), { soft: edge.soft, removing: child.removing, delta });
  }

  await writeRuns(tx, runChanges);
  await writeNoderoles(tx, [...changes.values()]);
  await takeEvidence(
    tx,
    runs.flatMap((run) => byRun.get(run.id)?.evidenceId ?? []),
  );
  await spreadEndings(tx, touched);
  return { accepted: [...accepted], fenced };
};

const takeEvidence = async (tx: Tx, ids: readonly number[]): Promise<void> => {
  if (ids.length === 0) return;
  await sql`update evidence set taken_at = now() where id = any(${[...ids]}::bigint[])`.execute(tx);
};
