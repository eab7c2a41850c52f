/** Hands one run to its jig and always comes back with an outcome: what a jig throws is a failure, not ours. */
import { HostwrightError, secretNames, type JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import type { Jig, Outcome, RunHandle } from '../jig.ts';
import type { ClaimedRun } from '../run/claimed-run.ts';
import type { LogLine } from '../run/write-ending.ts';
import { createMasker, type Masker } from '../secret/mask.ts';
import { resolveSecrets } from '../secret/resolve.ts';
import type { MasterKey } from '../secret/seal.ts';
import type { RoleContent } from './role-cache.ts';

/** A run in the hands of this worker. */
export interface LiveRun {
  readonly claimed: ClaimedRun;
  readonly abort: AbortController;
  log: LogLine[];
  /** Lines that are being stored: a report that overtook them would end the run before they are in. */
  flushing: Promise<void> | undefined;
  /** Set when its deadline has passed: then that is why it failed, whatever the jig says. */
  overdue?: string;
  deadline: number;
}

const LONGEST_LINE = 16_384;

interface Opened {
  readonly content: RoleContent;
  readonly attribs: JsonObject;
  readonly secrets: readonly string[];
  readonly masker: Masker | undefined;
}

const makeHandle = (db: Db, live: LiveRun, opened: Opened): RunHandle => {
  const { claimed } = live;
  const { masker } = opened;
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
    role: { id: claimed.role.id, name: claimed.role.name, ...opened.content },
    deployment: claimed.deployment,
    attribs: opened.attribs,
    secrets: opened.secrets,
    deadline: claimed.deadline,
    signal: live.abort.signal,
    memo: claimed.memo,
    log: (text, stream = 'out') => {
      const at = Date.now();
      for (const line of (masker === undefined ? text : masker.mask(text)).split('\n'))
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
  }
  return { kind: 'cancelled' };
};

/** Nothing that a jig gives back may carry a secret into the database. */
const maskOutcome = (outcome: Outcome, masker: Masker | undefined): Outcome => {
  if (masker === undefined || outcome.kind === 'cancelled') return outcome;
  if (outcome.kind === 'waiting')
    return outcome.memo === undefined
      ? outcome
      : { ...outcome, memo: masker.maskValue(outcome.memo) };
  const wall = outcome.wall === undefined ? {} : { wall: masker.maskValue(outcome.wall) };
  return outcome.kind === 'failed'
    ? { ...outcome, reason: masker.mask(outcome.reason), ...wall }
    : { ...outcome, ...wall };
};

const open = async (db: Db, claimed: ClaimedRun, master: MasterKey | undefined) => {
  if (secretNames(claimed.attribs).length === 0)
    return { attribs: claimed.attribs, secrets: [], masker: undefined };
  const { attribs, values } = await resolveSecrets(db, { attribs: claimed.attribs, master });
  return { attribs, secrets: values, masker: createMasker(values) };
};

export const carryOut = async (
  db: Db,
  options: {
    readonly live: LiveRun;
    readonly jig: Jig | undefined;
    readonly content: RoleContent | undefined;
    readonly master: MasterKey | undefined;
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
  let masker: Masker | undefined;
  try {
    const opened = await open(db, claimed, options.master);
    masker = opened.masker;
    return maskOutcome(
      await call(jig, makeHandle(db, live, { content, ...opened }), claimed.entry),
      masker,
    );
  } catch (error) {
    if (live.abort.signal.aborted) return { kind: 'cancelled' };
    const said = error instanceof Error ? error.message : String(error);
    const reason = masker === undefined ? said : masker.mask(said);
    live.log.push({ at: Date.now(), stream: 'jig', text: `the jig failed: ${reason}` });
    return { kind: 'failed', reason: `jig ${jig.name}: ${reason}`, retryable: true, blame: 'us' };
  }
};
