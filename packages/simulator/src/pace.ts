/** Lets so many through per second, in the order of asking: ten thousand handshakes at once help nobody. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Pace {
  turn(signal: AbortSignal): Promise<void>;
}

export const createPace = (perSecond: number): Pace => {
  const gap = 1000 / perSecond;
  let free = 0;
  return {
    turn: async (signal) => {
      const now = performance.now();
      const at = Math.max(now, free);
      free = at + gap;
      if (at - now >= 1) await sleep(at - now, undefined, { signal });
    },
  };
};
