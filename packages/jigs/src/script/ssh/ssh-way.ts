/**
 * Over SSH. Beginning a run and coming back to it are the same thing: send the bundle unless it is
 * there, start unless it is started, follow the output from where it is known. So a lost connection
 * and a dead worker are no different, and neither can run a script twice.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HostwrightError, type JsonObject } from '@hostwright/core';
import {
  createMasker,
  isRunOver,
  type Database,
  type Outcome,
  type RunHandle,
} from '@hostwright/engine';
import { secondsLeft } from '../agent-way.ts';
import { readResult, toOutcome, type ScriptResult } from '../outcome.ts';
import { parseWall } from '../parse-wall.ts';
import { ConnectionLost, type Connections, type Finished, type Target } from './connections.ts';
import { createTail } from './tail.ts';

export interface SshRun {
  readonly handle: RunHandle;
  readonly target: Target;
  /** Where runs are kept on the machine; empty: where the machine says. */
  readonly state: string;
  readonly tar: Buffer;
}

const LARGEST_WALL = 1024 * 1024;
const REMEMBER_MS = 2000;
const SLOWEST_RETRY_MS = 10_000;
const CANCEL_MS = 60_000;

// neither may hold a single quote: they travel within them, whatever shell signs in
const text = (name: string): string =>
  readFileSync(fileURLToPath(new URL(name, import.meta.url)), 'utf8');
const BEGIN = text('begin.sh');
const AFTER = text('after.sh');
const command = (script: string, ...words: (string | number)[]): string =>
  `exec sh -c '${script}' hostwright ${words.map((word) => `'${word}'`).join(' ')}`;

const readEnding = (answer: string): ScriptResult => {
  const cut = answer.indexOf('\n\n');
  const lines = new Map(
    answer
      .slice(0, cut === -1 ? undefined : cut)
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const wall = cut === -1 ? '' : answer.slice(cut + 2);
  const parsed = parseWall(wall.length > LARGEST_WALL ? '' : wall);
  return {
    exitCode: Number(lines.get('exit_code') ?? 255),
    reason: wall.length > LARGEST_WALL ? 'wall_too_large' : (lines.get('reason') ?? ''),
    script: lines.get('script') ?? '',
    wall: parsed.ok ? parsed.wall : {},
    wallError: parsed.ok ? '' : parsed.reason,
  };
};

const unreachable = (error: unknown): Outcome => ({
  kind: 'failed',
  reason: error instanceof Error ? error.message : String(error),
  retryable: !(error instanceof HostwrightError),
  blame: error instanceof HostwrightError ? 'operator' : 'node',
});

export interface SshWay {
  carry(run: SshRun): Promise<Outcome>;
  end(run: Omit<SshRun, 'tar'>): Promise<void>;
}

export const createSshWay = (options: {
  readonly database: Database;
  readonly connections: Connections;
}): SshWay => {
  const { connections, database } = options;

  const ask = async (
    run: Omit<SshRun, 'tar'>,
    verb: 'result' | 'cancel' | 'forget',
  ): Promise<Finished & { readonly out: string }> => {
    const parts: Buffer[] = [];
    const done = await connections.exec(run.target, {
      command: command(AFTER, verb, run.handle.runId, run.state),
      onOut: (bytes) => parts.push(bytes),
    });
    return { ...done, out: Buffer.concat(parts).toString('utf8') };
  };

  /** Until the scripts have ended or the run is not ours to wait for. */
  const follow = async (run: SshRun): Promise<'ended' | Outcome> => {
    const { handle } = run;
    const known = handle.memo?.['offset'];
    const tail = createTail(typeof known === 'number' ? known : 0, (lines) => handle.log(lines));
    let remembered = 0;
    const keeper = setInterval(() => {
      // what was given on a while ago is stored by now: a successor repeats lines rather than lose them
      const offset = remembered;
      remembered = tail.offset();
      if (offset > 0) handle.remember({ way: 'ssh', offset }).catch(() => {});
    }, REMEMBER_MS);
    try {
      for (let pause = 250; ; pause = Math.min(pause * 2, SLOWEST_RETRY_MS)) {
        try {
          const begun = await connections.exec(run.target, {
            command: command(
              BEGIN,
              handle.runId,
              handle.token,
              handle.lane,
              secondsLeft(handle),
              tail.offset(),
              run.state,
            ),
            stdin: run.tar,
            onOut: (bytes) => {
              pause = 250;
              tail.push(bytes);
            },
          });
          if (begun.code === 0) {
            tail.end();
            return 'ended';
          }
          return unreachable(
            new Error(
              `the run could not be begun on the machine (${begun.code}): ${begun.err.trim()}`,
            ),
          );
        } catch (error) {
          if (!(error instanceof ConnectionLost)) return unreachable(error);
          if (handle.signal.aborted || Date.now() >= handle.deadline.getTime())
            return unreachable(error);
          handle.log(`no way to the machine, trying again: ${error.message}`, 'jig');
          await sleep(pause * (0.5 + Math.random()), undefined, { signal: handle.signal }).catch(
            () => {},
          );
        }
      }
    } finally {
      clearInterval(keeper);
    }
  };

  const collect = async (run: SshRun): Promise<Outcome> => {
    const { handle } = run;
    const answer = await ask(run, 'result');
    if (answer.code !== 0)
      return unreachable(new Error(`the result is not on the machine: ${answer.err.trim()}`));
    const result = readEnding(answer.out);
    const { exitCode, ...told } = result;
    const masked = createMasker(handle.secrets).maskValue(told);
    const memo: JsonObject = { way: 'ssh', result: { ...masked, exitCode } };
    // first the result is safe, then the machine may forget: whoever takes over finds one or the other
    await handle.remember(memo);
    await ask(run, 'forget');
    return toOutcome(result);
  };

  const end = async (run: Omit<SshRun, 'tar'>): Promise<void> => {
    await Promise.race([
      ask(run, 'cancel'),
      sleep(CANCEL_MS, undefined, { ref: false }).then(() => {
        throw new ConnectionLost('the run could not be ended in time');
      }),
    ]);
  };

  const carry = async (run: SshRun): Promise<Outcome> => {
    const { handle } = run;
    const memo = handle.memo?.['result'];
    if (typeof memo === 'object' && memo !== null && !Array.isArray(memo)) {
      await ask(run, 'forget').catch(() => {});
      return toOutcome(readResult(memo));
    }
    const stop = Promise.withResolvers<'stop'>();
    handle.signal.addEventListener('abort', () => stop.resolve('stop'), { once: true });
    if (handle.signal.aborted) stop.resolve('stop');
    const following = follow(run);
    const first = await Promise.race([following, stop.promise]);
    if (first === 'stop') {
      // Cancelled or overdue: end it. Lost to another worker: it is that one's now, leave it alone.
      const overdue = Date.now() >= handle.deadline.getTime();
      if (!overdue && !(await isRunOver(database.db, handle.runId))) return { kind: 'cancelled' };
      await end(run);
      await following;
      await ask(run, 'forget').catch(() => {});
      return { kind: 'cancelled' };
    }
    return first === 'ended' ? collect(run) : first;
  };

  return { carry, end };
};
