/**
 * Pretends to work: takes its time, fails as often as told, writes a wall, waits - all by the
 * attribute `test` (see settings.ts). It anneals whole fleets without a machine.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Jig, Outcome, RunHandle } from '@hostwright/engine';
import { readSettings, type TestSettings } from './settings.ts';

export const TEST_EVIDENCE = 'test-done';

export interface TestJigOptions {
  /** Called after the delay of an async run; without it the evidence is for somebody else to record. */
  readonly onWaited?: (runId: number) => Promise<void>;
}

/** A number in [0, 1) that belongs to the run: no luck, so a failing test fails again. */
const lot = (runId: number): number => {
  let mixed = (runId + 0x9e3779b9) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
};

const end = (handle: RunHandle, settings: TestSettings): Outcome => {
  if (settings.alwaysFails || lot(handle.runId) < settings.failureRate) {
    handle.log('failing as told', 'err');
    return {
      kind: 'failed',
      reason: settings.alwaysFails ? 'told to fail always' : 'told to fail now and then',
      retryable: settings.retryable,
      blame: 'content',
    };
  }
  return { kind: 'succeeded', ...(settings.wall && { wall: settings.wall }) };
};

export const createTestJig = (options: TestJigOptions = {}): Jig => ({
  name: 'test',
  description: 'pretends to work: delay, failures, waiting and results by attribute',
  run: async (handle) => {
    const settings = readSettings(handle.attribs);
    for (let line = 1; line <= settings.lines; line++)
      handle.log(`working on ${handle.node.name}, ${line} of ${settings.lines}`);
    if (settings.async) {
      const done = () => options.onWaited?.(handle.runId).catch(() => {});
      setTimeout(() => void done(), settings.delayMs).unref();
      return { kind: 'waiting', evidence: TEST_EVIDENCE, memo: { asked: Date.now() } };
    }
    if (settings.delayMs > 0) {
      try {
        await sleep(settings.delayMs, undefined, { signal: handle.signal });
      } catch {
        return { kind: 'cancelled' };
      }
    }
    return end(handle, settings);
  },
  resume: (handle) => Promise.resolve(end(handle, readSettings(handle.attribs))),
  cancel: (handle) => {
    handle.log('told to stop', 'jig');
    return Promise.resolve();
  },
});
