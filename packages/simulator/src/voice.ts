/**
 * How a machine speaks: with its token and the boot id of this boot, and - for reports - again and
 * again until the server has answered, so that a restart of the server loses nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.ts';
import type { Tally } from './tally.ts';
import type { Answer, Ask, Wire } from './wire.ts';

/** What changes over a machine's life; the voice reads it at each call. */
export interface Mouth {
  token: string | undefined;
  bootId: string;
  /** Aborted when the machine goes down: whatever it was saying is cut off. */
  boot: AbortController;
}

export interface Voice {
  /** Once; the caller sees whatever happens. */
  ask(wanted: Ask): Promise<Answer>;
  /** Until the server has answered with something that trying again would not change. */
  say(wanted: Ask): Promise<Answer>;
  rest(attempt: number): Promise<void>;
}

const LONGEST_REST_SECONDS = 20;

export const createVoice = (parts: {
  readonly mouth: Mouth;
  readonly wire: Wire;
  readonly random: Random;
  readonly tally: Tally;
}): Voice => {
  const { mouth, wire, random, tally } = parts;

  const pause = (seconds: number): Promise<void> =>
    sleep(seconds * 1000, undefined, { signal: mouth.boot.signal });

  const rest = (attempt: number): Promise<void> =>
    pause(Math.min(LONGEST_REST_SECONDS, 0.2 * 2 ** attempt) * (0.5 + random.next()));

  const ask = (wanted: Ask): Promise<Answer> =>
    wire.ask({
      ...(mouth.token !== undefined && { token: mouth.token }),
      ...wanted,
      bootId: mouth.bootId,
      signal: mouth.boot.signal,
    });

  const say = async (wanted: Ask): Promise<Answer> => {
    for (let attempt = 0; ; attempt++) {
      try {
        const answer = await ask(wanted);
        if (answer.status < 500 && answer.status !== 429) return answer;
        tally.errors++;
        if (answer.retryAfterSeconds === undefined) await rest(attempt);
        else await pause(answer.retryAfterSeconds);
      } catch (error) {
        if (mouth.boot.signal.aborted) throw error;
        tally.errors++;
        await rest(attempt);
      }
    }
  };

  return { ask, say, rest };
};
