/**
 * How many runs at once, found by trying: hill climbing on what was completed per second. Starts at
 * the default and grows fourfold while that pays well, twofold while it pays - one window that did not
 * pay may be bad luck, two are not - then probes a step up and a step down and keeps the better.
 * Never below the default, never above the cap. Pure: time and counts are passed in.
 */
export const DEFAULT_CONCURRENCY = 10;
export const CONCURRENCY_CAP = 1000;

export interface Tuner {
  readonly concurrency: number;
  /** Tells of `completed` more; `saturated` = there was more work than places meanwhile. */
  observe(now: number, completed: number, saturated: boolean): void;
  readonly throughput: number;
}

const SHORTEST_MS = 200;
/** On the way up a step that pays shows at once, and each window at a low setting is time lost. */
const SHORTEST_CLIMBING_MS = 50;
const LONGEST_MS = 4000;
const GAIN = 1.05;
/** So much more says that the best is far off. */
const STEEP = 1.5;
const SETTLED_WINDOWS = 10;
/** So many doublings in a row that do not pay end the climb. */
const PATIENCE = 2;

interface Window {
  start: number;
  completed: number;
  starved: boolean;
}

export const createTuner = (
  options: { readonly floor?: number; readonly cap?: number } = {},
): Tuner => {
  const floor = options.floor ?? DEFAULT_CONCURRENCY;
  const cap = options.cap ?? CONCURRENCY_CAP;
  let current = floor;
  let best = { concurrency: floor, rate: 0 };
  let climbing = true;
  let misses = 0;
  let rest = 0;
  let direction = 1;
  let window: Window | undefined;
  let throughput = 0;

  const clamp = (value: number): number => Math.max(floor, Math.min(cap, Math.round(value)));

  const judge = (rate: number): void => {
    throughput = rate;
    if (climbing) {
      const paid = rate > best.rate * GAIN;
      const step = rate > best.rate * STEEP ? 4 : 2;
      if (paid) best = { concurrency: current, rate };
      misses = paid ? 0 : misses + 1;
      if (current < cap && misses < PATIENCE) {
        current = clamp(current * step);
        return;
      }
      climbing = false;
      misses = 0;
      current = best.concurrency;
      rest = SETTLED_WINDOWS;
      return;
    }
    if (current === best.concurrency) {
      // the world changes: what was measured long ago fades
      best.rate = best.rate * 0.7 + rate * 0.3;
      rest--;
      if (rest > 0) return;
      current = clamp(best.concurrency * (direction > 0 ? 1.5 : 0.67));
      direction = -direction;
      rest = SETTLED_WINDOWS;
      return;
    }
    if (rate > best.rate * GAIN || (current < best.concurrency && rate > best.rate * 0.98)) {
      if (current > best.concurrency) climbing = true;
      best = { concurrency: current, rate };
    } else current = best.concurrency;
  };

  return {
    get concurrency() {
      return current;
    },
    get throughput() {
      return throughput;
    },
    observe: (now, completed, saturated) => {
      window ??= { start: now, completed: 0, starved: false };
      window.completed += completed;
      window.starved ||= !saturated;
      const elapsed = now - window.start;
      const shortest = climbing ? SHORTEST_CLIMBING_MS : SHORTEST_MS;
      const enough = elapsed >= shortest && window.completed >= 3 * current;
      if (!enough && elapsed < LONGEST_MS) return;
      // without enough work waiting, the rate says nothing about the setting
      if (!window.starved && window.completed > 0) judge((window.completed * 1000) / elapsed);
      window = { start: now, completed: 0, starved: false };
    },
  };
};
