/**
 * What every jig must do, whatever it does: end with an outcome, log something a person can read,
 * stop when told, keep nothing between runs. Call it in the jig's own test file with handles it can
 * succeed and fail on.
 */
import type { Jig, Outcome, RunHandle } from '@hostwright/engine';
import { expect, test } from 'vitest';

export interface FakeHandle extends RunHandle {
  readonly lines: string[];
  readonly memos: unknown[];
  readonly abort: () => void;
}

export const fakeHandle = (change: Partial<RunHandle> = {}): FakeHandle => {
  const controller = new AbortController();
  const lines: string[] = [];
  const memos: unknown[] = [];
  return {
    runId: 1,
    token: 1,
    kind: 'run',
    lane: 'host',
    attempt: 1,
    noderoleId: 1,
    node: { id: 1, name: 'n1', admin: false, bootId: 'b', bootEpoch: 1 },
    role: { id: 1, name: 'a', barclamp: 'seed', config: {} },
    deployment: { id: 1, name: 'system' },
    attribs: {},
    secrets: [],
    deadline: new Date(Date.now() + 60_000),
    signal: controller.signal,
    memo: null,
    log: (text) => void lines.push(text),
    remember: (memo) => Promise.resolve(void memos.push(memo)),
    expectReboot: () => Promise.resolve(),
    ...change,
    lines,
    memos,
    abort: () => controller.abort(),
  };
};

export interface Contract {
  readonly jig: Jig;
  readonly succeeds: () => FakeHandle;
  /** One that fails, if the jig can fail at all. */
  readonly fails?: () => FakeHandle;
  /** One that would last long, if the jig can. */
  readonly lasts?: () => FakeHandle;
  /** One that waits for evidence, if the jig does. */
  readonly waits?: () => FakeHandle;
}

export const jigContract = (contract: Contract): void => {
  const { jig } = contract;
  test(`${jig.name}: has a name and says what it is`, () => {
    expect(jig.name).toMatch(/^[a-z][a-z-]*$/);
    expect(jig.description.length).toBeGreaterThan(10);
  });
  test(`${jig.name}: succeeds, says something in the log, and does so again`, async () => {
    for (const handle of [contract.succeeds(), contract.succeeds()]) {
      expect((await jig.run(handle)).kind).toBe('succeeded');
      expect(handle.lines.length).toBeGreaterThan(0);
    }
  });
  const { fails, lasts, waits } = contract;
  if (fails)
    test(`${jig.name}: a failure gives a reason, a blame and whether to try again`, async () => {
      const outcome = await jig.run(fails());
      expect(outcome).toMatchObject({
        kind: 'failed',
        reason: expect.stringMatching(/.+/),
        retryable: expect.any(Boolean),
      });
    });
  if (lasts)
    test(`${jig.name}: stops when its signal says so`, async () => {
      const handle = lasts();
      const running = jig.run(handle);
      handle.abort();
      expect((await running).kind).not.toBe('succeeded');
    });
  if (waits)
    test(`${jig.name}: gives the worker back while it waits, resumes with the evidence, and can be told to stop`, async () => {
      const handle = waits();
      const outcome: Outcome = await jig.run(handle);
      expect(outcome.kind).toBe('waiting');
      if (outcome.kind !== 'waiting') return;
      const resumed = await jig.resume?.(
        { ...handle, memo: outcome.memo ?? null },
        { key: outcome.evidence, payload: {} },
      );
      expect(resumed?.kind).toBe('succeeded');
      await jig.cancel?.(waits());
    });
};
