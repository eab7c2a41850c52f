/**
 * What the end of a run means, decided apart from doing it: the run's last status and where its
 * noderole goes. Pure, so that the table of DESIGN section 4 can be tested without a database.
 */
import type { NoderoleState, RunKind, RunStatus } from '@hostwright/core';
import type { Outcome } from '../jig.ts';

/** So many re-runs in a row by one cause are a loop, and an error that names the cause. */
export const CAUSE_LIMIT = 5;
const LONGEST_BACKOFF_SECONDS = 3600;

export interface EndingFacts {
  readonly outcome: Exclude<Outcome, { kind: 'waiting' }>;
  readonly kind: RunKind;
  readonly cancelling: boolean;
  /** Why it is being stopped, when it is: cancelled by somebody, deadline passed. */
  readonly why: string | null;
  /** The run is stopped because it failed (deadline), not because somebody wished it. */
  readonly overdue: boolean;
  readonly state: NoderoleState;
  readonly pending: number;
  readonly removing: boolean;
  /** The inputs are other ones now than those the run got. */
  readonly moved: boolean;
  readonly failures: number;
  readonly cause: string;
  readonly causeCount: number;
  readonly destructive: boolean;
  readonly retryLimit: number;
  readonly retryBackoffSeconds: number;
}

export interface Ending {
  readonly status: Extract<RunStatus, 'succeeded' | 'failed' | 'cancelled'>;
  readonly error: string | null;
  readonly blame: 'node' | 'content' | 'us' | 'operator' | null;
  readonly retryable: boolean | null;
  readonly to: NoderoleState | 'removed';
  /** null: the noderole's own reason stands. */
  readonly reason: string | null;
  readonly failures: number;
  readonly drifted: boolean;
  readonly cause: string;
  readonly causeCount: number;
  readonly backoffSeconds: number | null;
}

const MOVED = 'its inputs changed during the run';
export const WORKER_LOST = 'its worker was lost';

const requeued = (pending: number): NoderoleState => (pending > 0 ? 'blocked' : 'todo');

const success = (facts: EndingFacts): Ending => {
  const base = {
    status: 'succeeded',
    error: null,
    blame: null,
    retryable: null,
    reason: '',
    failures: 0,
    drifted: false,
    cause: facts.cause,
    // lost workers count in a row: a run that came to its end has broken the row
    causeCount: facts.cause === WORKER_LOST ? 0 : facts.causeCount,
    backoffSeconds: null,
  } as const satisfies Partial<Ending>;
  if (facts.kind === 'teardown') return { ...base, to: 'removed' };
  if (!facts.moved || facts.removing) return { ...base, to: 'active' };
  if (facts.destructive) return { ...base, to: 'active', drifted: true, reason: MOVED };
  const causeCount = facts.cause === MOVED ? facts.causeCount + 1 : 1;
  if (causeCount > CAUSE_LIMIT)
    return {
      ...base,
      to: 'error',
      failures: 1,
      causeCount,
      reason: `re-run ${CAUSE_LIMIT} times in a row because ${MOVED}`,
    };
  return { ...base, to: requeued(facts.pending), cause: MOVED, causeCount };
};

const cancelled = (facts: EndingFacts): Ending => ({
  status: 'cancelled',
  error: facts.why ?? 'cancelled',
  blame: 'operator',
  retryable: false,
  to: 'error',
  reason: facts.why ?? 'cancelled',
  failures: facts.failures + 1,
  drifted: false,
  cause: facts.cause,
  causeCount: facts.causeCount,
  backoffSeconds: null,
});

const failure = (
  facts: EndingFacts,
  how: {
    readonly reason: string;
    readonly retryable: boolean;
    readonly blame: 'node' | 'content' | 'us' | 'operator';
  },
): Ending => {
  const failures = facts.failures + 1;
  const again =
    how.retryable &&
    !facts.destructive &&
    !facts.removing &&
    facts.kind !== 'teardown' &&
    failures <= facts.retryLimit;
  const backoff = Math.min(
    facts.retryBackoffSeconds * 2 ** (failures - 1),
    LONGEST_BACKOFF_SECONDS,
  );
  return {
    status: 'failed',
    error: how.reason,
    blame: how.blame,
    retryable: how.retryable,
    to: again ? requeued(facts.pending) : 'error',
    reason: facts.kind === 'teardown' ? `teardown failed: ${how.reason}` : how.reason,
    failures,
    drifted: false,
    cause: again ? `automatic retry ${failures} of ${facts.retryLimit}` : facts.cause,
    causeCount: facts.causeCount,
    backoffSeconds: again && backoff > 0 ? backoff : null,
  };
};

export const decideEnding = (facts: EndingFacts): Ending => {
  const ending = judge(facts);
  if (facts.kind !== 'refresh' || facts.state === 'active') return ending;
  // asked to run again while a refresh was under way: that run is owed, however the refresh ended
  const { failures, cause, causeCount, state } = facts;
  return { ...ending, to: state, reason: null, failures, cause, causeCount, backoffSeconds: null };
};

const judge = (facts: EndingFacts): Ending => {
  const { outcome } = facts;
  // the work is done: to call it cancelled would be untrue
  if (outcome.kind === 'succeeded') return success(facts);
  if (facts.overdue)
    return failure(facts, {
      reason: facts.why ?? 'deadline passed',
      retryable: true,
      blame: 'node',
    });
  if (outcome.kind === 'cancelled' || facts.cancelling) return cancelled(facts);
  return failure(facts, outcome);
};
