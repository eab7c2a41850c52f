/** Hands one run to its jig and always comes back with an outcome: what a jig throws is a failure, not ours. */
import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import type { Jig, Outcome, RunHandle } from '../jig.ts';
import type { ClaimedRun } from '../run/claimed-run.ts';
import type { LogLine } from '../run/write-ending.ts';
import type { RoleContent } from './role-cache.ts';

/** A run in the hands of this worker. */
export interface LiveRun {
  readonly claimed: ClaimedRun;
  readonly abort: AbortController;
  log: LogLine[];
  /** Set when its deadline has passed: then that is why it failed, whatever the jig says. */
  overdue?: string;
  deadline: number;
}

const LONGEST_LINE = 16_384;

const makeHandle = (db: Db, live: LiveRun, content: RoleContent): RunHandle => {
  const { claimed } = live;
  const still = async (query: Promise<{ readonly rows: readonly unknown[] }>): Promise<void> => {
    if ((await query).rows.length > 0) return;
    live.abort.abort(new HostwrightError('stale_token'));
    throw new HostwrightError('stale_token', {
      message: 'this run is no longer this worker\u2019s',
    });
  };
  return {
    runId: claimed.runId,
    token: claimed.token,
    kind: claimed.kind,
    lane: claimed.lane,
    attempt: claimed.attempt,
    noderoleId: claimed.noderoleId,
    node: claimed.node,
    role: { id: claimed.role.id, name: claimed.role.name, ...content },
    deployment: claimed.deployment,
    attribs: claimed.attribs,
    deadline: claimed.deadline,
    signal: live.abort.signal,
    memo: claimed.memo,
    log: (text, stream = 'out') => {
      const at = Date.now();
      for (const line of text.split('\n'))
        live.log.push({ at, stream, text: line.slice(0, LONGEST_LINE) });
    },
    remember: (memo) =>
      still(
        sql`update run set memo = ${JSON.stringify(memo)}::jsonb where id = ${claimed.runId} and token = ${claimed.token}
        and status in ('running', 'cancelling') returning id`.execute(db),
      ),
    expectReboot: () =>
      still(
        sql`update run set expects_reboot = true where id = ${claimed.runId} and token = ${claimed.token}
        and status in ('running', 'cancelling') returning id`.execute(db),
      ),
  };
};

const call = async (jig: Jig, handle: RunHandle, entry: ClaimedRun['entry']): Promise<Outcome> => {
  switch (entry.kind) {
    case 'run':
      return jig.run(handle);
    case 'resume':
      if (jig.resume === undefined)
        return {
          kind: 'failed',
          reason: `jig ${jig.name} waits but cannot resume`,
          retryable: false,
          blame: 'us',
        };
      return jig.resume(handle, { key: entry.key, payload: entry.payload });
    case 'recover':
      return jig.recover === undefined ? jig.run(handle) : jig.recover(handle);
    case 'cancel':
      await jig.cancel?.(handle);
      return { kind: 'cancelled' };
  }
};

export const carryOut = async (
  db: Db,
  options: {
    readonly live: LiveRun;
    readonly jig: Jig | undefined;
    readonly content: RoleContent | undefined;
  },
): Promise<Outcome> => {
  const { live, jig, content } = options;
  const { claimed } = live;
  if (jig === undefined || content === undefined)
    return {
      kind: 'failed',
      reason: `this worker has no jig ${claimed.jig}`,
      retryable: true,
      blame: 'us',
    };
  try {
    return await call(jig, makeHandle(db, live, content), claimed.entry);
  } catch (error) {
    if (live.abort.signal.aborted) return { kind: 'cancelled' };
    const reason = error instanceof Error ? error.message : String(error);
    live.log.push({ at: Date.now(), stream: 'jig', text: `the jig failed: ${reason}` });
    return { kind: 'failed', reason: `jig ${jig.name}: ${reason}`, retryable: true, blame: 'us' };
  }
};
