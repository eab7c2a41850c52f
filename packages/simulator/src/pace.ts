/**
 * The door by which machines come in: so many per second, and only so many between knocking and
 * their first poll. Without the second limit ten thousand joins wait at the server at once, each
 * longer than its machine's patience, and nobody ever gets in (seen: 8,232 connections, 0 joined).
 */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Pace {
  /** Resolves with how to leave the door; every way out must call it. */
  enter(signal: AbortSignal): Promise<() => void>;
}

export const createPace = (options: {
  readonly perSecond: number;
  readonly atOnce: number;
}): Pace => {
  const gap = 1000 / options.perSecond;
  const waiting = new Set<() => void>();
  let free = 0;
  let inside = 0;

  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) inside--;
    else next();
  };

  const admit = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (inside < options.atOnce) {
      inside++;
      return;
    }
    const turn = Promise.withResolvers<void>();
    const goOn = (): void => {
      waiting.delete(goOn);
      turn.resolve();
    };
    const giveUp = (): void => {
      if (waiting.delete(goOn)) turn.reject(new Error('stopped'));
    };
    waiting.add(goOn);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  };

  return {
    enter: async (signal) => {
      await admit(signal);
      let left = false;
      const out = (): void => {
        if (left) return;
        left = true;
        leave();
      };
      const now = performance.now();
      const at = Math.max(now, free);
      free = at + gap;
      try {
        if (at - now >= 1) await sleep(at - now, undefined, { signal });
      } catch (error) {
        out();
        throw error;
      }
      return out;
    },
  };
};
