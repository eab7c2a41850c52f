/** What the end of a run changes in its noderole, and what that gives each child: applied to data, written elsewhere. */
import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '@hostwright/core';
import type { Ending } from './decide-ending.ts';
import type { EndingNoderole, LiveRun } from './lock-ending.ts';
import type { NoderoleChange } from './write-ending.ts';

const hashOf = (wall: JsonObject): string =>
  createHash('sha256').update(canonicalJson(wall)).digest('hex');

export const unchanged = (row: EndingNoderole): NoderoleChange => ({
  id: row.id,
  state: row.state,
  pending: row.pending,
  holds: row.holds,
  reason: null,
  blockedBy: row.blocked_by,
  degradedBy: row.degraded_by,
  stale: row.stale,
  drifted: row.drifted,
  driftReason: null,
  wall: null,
  inputHash: row.input_hash,
  outputHash: row.output_hash,
  runId: row.run_id,
  ran: false,
  failures: row.failures,
  cause: row.cause,
  causeCount: row.cause_count,
  backoffSeconds: null,
});

export const applyEnding = (
  change: NoderoleChange,
  ending: Ending,
  run: LiveRun,
  wall: JsonObject | undefined,
): void => {
  if (ending.to !== 'removed') change.state = ending.to;
  if (change.state !== 'active') change.degradedBy = null;
  if (change.state !== 'blocked') change.blockedBy = null;
  change.runId = null;
  change.stale = false;
  change.reason = ending.reason;
  change.failures = ending.failures;
  change.cause = ending.cause;
  change.causeCount = ending.causeCount;
  if (ending.backoffSeconds !== null) {
    change.backoffSeconds = ending.backoffSeconds;
    change.holds = [...change.holds.filter((hold) => hold !== 'backoff'), 'backoff'];
  }
  if (wall !== undefined) {
    change.wall = wall;
    change.outputHash = hashOf(wall);
  }
  if (ending.status !== 'succeeded') return;
  change.ran = true;
  change.inputHash = run.input_hash;
  change.drifted = ending.drifted;
  change.driftReason = ending.drifted ? ending.reason : null;
};

/** A parent came to rest: what that gives each child. */
export const applyToChild = (
  child: NoderoleChange,
  how: { readonly soft: boolean; readonly removing: boolean; readonly delta: -1 | 0 | 1 },
): void => {
  const { delta } = how;
  if (how.soft) {
    child.holds = child.holds.filter((hold) => hold !== 'order');
    return;
  }
  child.pending = Math.max(0, child.pending + delta);
  if (child.state === 'blocked' && child.pending === 0) {
    child.state = 'todo';
    child.reason = '';
    child.blockedBy = null;
  } else if (child.state === 'todo' && child.pending > 0 && delta === 1 && !how.removing) {
    child.state = 'blocked';
  }
};
