import { expect, test, vi } from 'vitest';
import { readEventStream } from '../src/index.ts';

test('a stream whose server is gone for hours is asked for again every few seconds, never in a rush', async () => {
  vi.useFakeTimers();
  try {
    const stopper = new AbortController();
    const asked: number[] = [];
    const states: string[] = [];
    const stream = readEventStream({
      signal: stopper.signal,
      connect: async () => {
        asked.push(Date.now());
        throw new TypeError('connection refused');
      },
      onState: (state) => states.push(state),
    });
    const ended = stream.next();
    await vi.advanceTimersByTimeAsync(2 * 3_600_000);
    stopper.abort();
    expect(await ended).toMatchObject({ done: true });
    const waits = asked.slice(1).map((at, turn) => at - (asked[turn] ?? 0));
    expect(Math.max(...waits)).toBeLessThan(5000);
    expect(Math.min(...waits.slice(4))).toBeGreaterThan(1000);
    expect(new Set(states)).toEqual(new Set(['broken']));
  } finally {
    vi.useRealTimers();
  }
});
