import { createRoleProvidedJig, createTestJig, noopJig, TEST_EVIDENCE } from '@hostwright/jigs';
import { expect, test } from 'vitest';
import { fakeHandle, jigContract } from './contract.ts';

jigContract({ jig: noopJig, succeeds: () => fakeHandle() });

jigContract({
  jig: createTestJig(),
  succeeds: () => fakeHandle({ attribs: { test: { delay_ms: 1 } } }),
  fails: () => fakeHandle({ attribs: { test: { always_fails: true } } }),
  lasts: () => fakeHandle({ attribs: { test: { delay_ms: 60_000 } } }),
  waits: () => fakeHandle({ attribs: { test: { async: true, delay_ms: 60_000 } } }),
});

const provided = createRoleProvidedJig({
  find: (barclamp, role) =>
    Promise.resolve(
      barclamp === 'seed' && role === 'a'
        ? async (handle, evidence) => {
            handle.log('its own way');
            if (handle.attribs['waits'] === true && evidence === undefined)
              return { kind: 'waiting', evidence: 'ack' };
            return { kind: 'succeeded', wall: { by: evidence?.key ?? 'itself' } };
          }
        : undefined,
    ),
});
jigContract({
  jig: provided,
  succeeds: () => fakeHandle(),
  fails: () => fakeHandle({ role: { id: 2, name: 'unknown', barclamp: 'seed', config: {} } }),
  waits: () => fakeHandle({ attribs: { waits: true } }),
});

test('test: fails as often as told, and the same run always the same', async () => {
  const jig = createTestJig();
  const outcomes = async () => {
    const kinds: string[] = [];
    for (let runId = 1; runId <= 1000; runId++)
      kinds.push(
        (await jig.run(fakeHandle({ runId, attribs: { test: { failure_rate: 0.1 } } }))).kind,
      );
    return kinds;
  };
  const first = await outcomes();
  const failed = first.filter((kind) => kind === 'failed').length;
  expect(failed).toBeGreaterThan(60);
  expect(failed).toBeLessThan(140);
  expect(await outcomes()).toEqual(first);
});

test('test: writes the wall it is given, and tells when an async run has waited', async () => {
  const waited = Promise.withResolvers<number>();
  const jig = createTestJig({ onWaited: (runId) => Promise.resolve(waited.resolve(runId)) });
  expect(await jig.run(fakeHandle({ attribs: { test: { wall: { x: 1 } } } }))).toEqual({
    kind: 'succeeded',
    wall: { x: 1 },
  });
  const outcome = await jig.run(fakeHandle({ runId: 7, attribs: { test: { async: true } } }));
  expect(outcome).toMatchObject({ kind: 'waiting', evidence: TEST_EVIDENCE });
  expect(await waited.promise).toBe(7);
});

test('test: settings that make no sense are as if they were not given', async () => {
  const jig = createTestJig();
  for (const bad of [null, 7, [], { delay_ms: -1, failure_rate: 'x', wall: 3 }])
    expect((await jig.run(fakeHandle({ attribs: { test: bad } }))).kind).toBe('succeeded');
});
