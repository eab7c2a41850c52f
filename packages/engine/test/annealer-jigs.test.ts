/** A real worker and what its jigs do: wait, hang, talk, give what cannot be stored, get cancelled. */
import {
  cancelRun,
  recordEvidence,
  SILENT,
  startWorker,
  transaction,
  type Jig,
} from '@hostwright/engine';
import { createTestJig } from '@hostwright/jigs';
import { eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { annealerWorld } from './annealer-world.ts';
import { noderole, runStatus } from './hand-worker.ts';
import { seedNoderole, seedNodes } from './seed-graph.ts';

const world = annealerWorld([
  { name: 'a' },
  { name: 'slow', jig: 'test', data: { test: { delay_ms: 60_000 } } },
  { name: 'hung', jig: 'hung', deadlineSeconds: 1 },
]);
const { role } = world;

const passed = (runId: number) =>
  sql`update run set deadline_at = now() - interval '1 minute' where id = ${runId}`.execute(
    world.db,
  );

const resuming: Jig = {
  name: 'noop',
  description: 'for this test',
  run: () => Promise.resolve({ kind: 'waiting', evidence: 'installed' }),
  resume: (handle) =>
    Promise.resolve({ kind: 'succeeded', wall: { step: handle.memo?.['step'] ?? 0 } }),
};

test('a waiting run holds no worker, and goes on when its evidence comes', async () => {
  const { database, db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const [run] = await worker.claim();
  if (!run) throw new Error('nothing claimed');
  await worker.report(run, { kind: 'waiting', evidence: 'installed', memo: { step: 2 } });
  const { rows } =
    await sql`select status, worker_id, waiting_for from run where id = ${run.runId}`.execute(db);
  expect(rows[0]).toEqual({ status: 'waiting', worker_id: null, waiting_for: 'installed' });
  expect(await worker.claim()).toEqual([]);
  expect(
    await transaction(db, (tx) => recordEvidence(tx, { nodeId: node, key: 'installed' })),
  ).toEqual([run.runId]);
  const done = await startWorker({ database, jigs: [resuming], log: SILENT, name: 'w' });
  await eventually(async () => (await noderole(db, id)).state === 'active');
  await done.stop();
  const { rows: evidence } = await sql<{
    taken: boolean;
  }>`select taken_at is not null as taken from evidence where run_id = ${run.runId}`.execute(db);
  expect(evidence).toEqual([{ taken: true }]);
});

test('evidence that came before the wait is not lost', async () => {
  const { database, db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const [run] = await worker.claim();
  if (!run) throw new Error('nothing claimed');
  await transaction(db, (tx) => recordEvidence(tx, { runId: run.runId, key: 'installed' }));
  await worker.report(run, { kind: 'waiting', evidence: 'installed' });
  const done = await startWorker({ database, jigs: [resuming], log: SILENT, name: 'w' });
  await eventually(async () => (await noderole(db, id)).state === 'active');
  await done.stop();
});

test('a wait whose deadline passes is cancelled on the machine and fails by that reason', async () => {
  const { database, db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const [run] = await worker.claim();
  if (!run) throw new Error('nothing claimed');
  await worker.report(run, { kind: 'waiting', evidence: 'installed' });
  await passed(run.runId);
  const told: number[] = [];
  const jig: Jig = {
    ...resuming,
    cancel: (handle) => Promise.resolve(void told.push(handle.runId)),
  };
  const done = await startWorker({ database, jigs: [jig], log: SILENT, name: 'w', tickMs: 50 });
  await eventually(async () => (await noderole(db, id)).state === 'error');
  await done.stop();
  expect(told).toEqual([run.runId]);
  expect((await noderole(db, id)).reason).toBe('no installed before its deadline');
  expect(await runStatus(db, run.runId)).toBe('failed');
});

test('a worker aborts a running jig on cancel and lets the noderole end', async () => {
  const { database, db, node } = world;
  const id = await seedNoderole(db, { role: role('slow'), node });
  const done = await startWorker({ database, jigs: [createTestJig()], log: SILENT, name: 'w' });
  const run = await eventually(async () => (await noderole(db, id)).run_id);
  await cancelRun(db, { runId: run, actor: 'anna' });
  await eventually(async () => (await noderole(db, id)).state === 'error');
  await done.stop();
  expect(await runStatus(db, run)).toBe('cancelled');
});

test('a jig that ignores its deadline does not keep the noderole or the worker’s place', async () => {
  const { database, db, node } = world;
  const id = await seedNoderole(db, { role: role('hung'), node });
  const hung: Jig = { name: 'hung', description: 'never ends', run: () => new Promise(() => {}) };
  const done = await startWorker({ database, jigs: [hung], log: SILENT, name: 'w', tickMs: 100 });
  await eventually(async () => (await noderole(db, id)).state === 'error');
  expect(done.status().running).toBe(0);
  await done.stop();
  expect((await noderole(db, id)).reason).toBe('deadline passed');
});

test('a run left by a stopped worker is taken up by the next', async () => {
  const { database, db, node } = world;
  const id = await seedNoderole(db, { role: role('slow'), node });
  const first = await startWorker({ database, jigs: [createTestJig()], log: SILENT, name: 'w1' });
  const run = await eventually(async () => (await noderole(db, id)).run_id);
  await first.stop();
  const jig: Jig = { ...createTestJig(), run: () => Promise.resolve({ kind: 'succeeded' }) };
  const second = await startWorker({ database, jigs: [jig], log: SILENT, name: 'w2' });
  await eventually(async () => (await noderole(db, id)).state === 'active');
  await second.stop();
  expect(await runStatus(db, run)).toBe('fenced');
});

test('a result that the database cannot store ends that run as a failure, and no other', async () => {
  const { database, db, node } = world;
  const bad = await seedNoderole(db, { role: role('a'), node, data: { bad: true } });
  const [other = 0] = await seedNodes(db, 1, 'other');
  const good = await seedNoderole(db, { role: role('a'), node: other });
  const jig: Jig = {
    name: 'noop',
    description: 'one of them writes what jsonb cannot hold',
    run: (handle) =>
      Promise.resolve({
        kind: 'succeeded',
        wall: { text: handle.noderoleId === bad ? '\u0000' : 'fine' },
      }),
  };
  const done = await startWorker({ database, jigs: [jig], log: SILENT, name: 'w' });
  await eventually(
    async () =>
      (await noderole(db, good)).state === 'active' && (await noderole(db, bad)).state === 'error',
  );
  await done.stop();
  expect((await noderole(db, bad)).reason).toContain('could not be stored');
});

test('log lines of a long run are stored while it runs, in order, also after it', async () => {
  const { database, db, node } = world;
  await seedNoderole(db, { role: role('a'), node });
  const gate = Promise.withResolvers<void>();
  const jig: Jig = {
    name: 'noop',
    description: 'talks',
    run: async (handle) => {
      handle.log('one\ntwo');
      await gate.promise;
      handle.log('three', 'err');
      return { kind: 'succeeded' };
    },
  };
  const done = await startWorker({ database, jigs: [jig], log: SILENT, name: 'w' });
  const lines = async () =>
    (
      await sql<{
        seq: number;
        text: string;
      }>`select l.seq, l.text from run_log l join run r on r.id = l.run_id where r.node_id = ${node} order by l.seq`.execute(
        db,
      )
    ).rows;
  await eventually(async () => (await lines()).length === 2);
  gate.resolve();
  await eventually(async () => (await lines()).length === 3);
  await done.stop();
  expect(await lines()).toEqual([
    { seq: 1, text: 'one' },
    { seq: 2, text: 'two' },
    { seq: 3, text: 'three' },
  ]);
});
