/** What a machine is doing in each lane: takes what the server hands out, and ends what it calls off. */
import type { Random } from './random.ts';
import type { Identity } from './hardware.ts';
import type { Tally } from './tally.ts';
import { performTask, type Task } from './task.ts';
import type { Mouth, Voice } from './voice.ts';
import type { Ask } from './wire.ts';

export interface Lanes {
  /** Resolves when the server knows that it was taken: asked again before, it would offer it again. */
  take(lines: ReadonlyMap<string, string>): Promise<void>;
  /** Work that was under way when this agent stopped goes on, as a real script would have. */
  pickUp(): Promise<void>;
}

export interface LanesOptions {
  readonly identity: Identity;
  readonly random: Random;
  readonly tally: Tally;
  readonly failureRate: number;
  readonly secondsPerTask: number;
  readonly mouth: Mouth;
  readonly voice: Voice;
  readonly reboot: () => void;
}

interface Busy {
  readonly run: string;
  readonly stop: AbortController;
}

export const createLanes = (options: LanesOptions): Lanes => {
  const { mouth, tally, voice } = options;
  const busy = new Map<string, Busy>();

  const carryOut = async (task: Task, lane: string, known: () => void): Promise<void> => {
    const stop = new AbortController();
    busy.get(lane)?.stop.abort();
    busy.set(lane, { run: task.run, stop });
    const around = { ...options, say: (wanted: Ask) => voice.say(wanted), onStarted: known };
    try {
      tally[await performTask(task, around, AbortSignal.any([stop.signal, mouth.boot.signal]))]++;
    } catch {
      // the machine went down in the middle: there is nobody left to tell
      tally.cancelled++;
    } finally {
      known();
      if (busy.get(lane)?.stop === stop) busy.delete(lane);
    }
  };

  const quietly = (path: string, body: string): Promise<unknown> =>
    voice.say({ method: 'POST', path, body }).catch(() => {});

  const take = async (lines: ReadonlyMap<string, string>): Promise<void> => {
    const run = lines.get('run') ?? '';
    const token = lines.get('token') ?? '';
    const lane = lines.get('lane') ?? 'host';
    const at = `/agent/v1/task/${run}/${token}`;
    switch (lines.get('action')) {
      case 'cancel': {
        const found = busy.get(lane);
        if (found?.run === run) found.stop.abort();
        const ended = { exit_code: 143, wall: {}, reason: 'cancelled' };
        await quietly(`${at}/result`, JSON.stringify(ended));
        return;
      }
      case 'reboot':
        await quietly(`${at}/started`, '');
        await quietly(`${at}/result`, JSON.stringify({ exit_code: 0, reason: 'rebooting' }));
        options.reboot();
        return;
      default: {
        if (busy.get(lane)?.run === run) return;
        const known = Promise.withResolvers<void>();
        void carryOut({ run, token, sha256: lines.get('sha256') }, lane, known.resolve);
        await known.promise;
      }
    }
  };

  const pickUp = async (): Promise<void> => {
    const { status, body } = await voice.say({ method: 'GET', path: '/agent/v1/live' });
    if (status !== 200) return;
    const known = new Set([...busy.values()].map((entry) => entry.run));
    for (const [, run = '', token = ''] of body.toString().matchAll(/run=(\d+) token=(\d+)/g))
      if (!known.has(run))
        void carryOut({ run, token, sha256: undefined }, `picked-up-${run}`, () => {});
  };

  return { take, pickUp };
};
