import {
  cancelRun,
  completeRuns,
  nodeLost,
  nodeRebooted,
  requestRefresh,
  tick,
  transaction,
} from '@hostwright/engine';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { annealerWorld } from './annealer-world.ts';
import { handWorker, noderole, runStatus } from './hand-worker.ts';
import { seedNoderole } from './seed-graph.ts';

const world = annealerWorld([
  { name: 'a' },
  { name: 'b' },
  { name: 'retried', retryLimit: 1, retryBackoffSeconds: 0 },
  { name: 'reboots', reboots: true },
  { name: 'facts', discovery: true },
  { name: 'dns', lane: 'service' },
]);
const { role } = world;

const passed = (runId: number) =>
  sql`update run set deadline_at = now() - interval '1 minute' where id = ${runId}`.execute(
    world.db,
  );

const oneTick = (recoverable: string[] = []) =>
  tick(world.db, { workerId: world.worker.id, recoverable, thorough: false });

test('a result with an old token is void', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const [run] = await worker.claim();
  if (!run) throw new Error('nothing claimed');
  expect(
    await worker.report(
      { ...run, token: run.token - 1 },
      { kind: 'succeeded', wall: { stolen: 1 } },
    ),
  ).toEqual({ accepted: [], fenced: [run.runId] });
  expect((await noderole(db, id)).state).toBe('transition');
  await worker.succeed(run);
  expect(await worker.fail(run)).toEqual({ accepted: [], fenced: [run.runId] });
  expect(await noderole(db, id)).toMatchObject({ state: 'active', run_count: 1 });
});

test('a dead worker’s run goes back to todo under a new run; a destructive one is an error', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const dead = await handWorker(db);
  const [run] = await dead.claim();
  await dead.die();
  expect(await oneTick()).toEqual([]);
  expect(await runStatus(db, run?.runId ?? 0)).toBe('fenced');
  expect(await noderole(db, id)).toMatchObject({
    state: 'todo',
    cause: 'its worker was lost',
    run_id: null,
  });
  expect((await dead.succeed(run)).fenced).toEqual([run?.runId]);
  expect(await worker.finish()).toEqual([id]);
});

test('a jig that can recover gets the dead worker’s run back, under a new token', async () => {
  const { db, node, worker } = world;
  await seedNoderole(db, { role: role('a'), node });
  const dead = await handWorker(db);
  const [run] = await dead.claim();
  await sql`update run set memo = '{"pid": 7}' where id = ${run?.runId}`.execute(db);
  await dead.die();
  const [taken] = await oneTick(['noop']);
  expect(taken).toMatchObject({
    runId: run?.runId,
    memo: { pid: 7 },
    entry: { kind: 'recover' },
    attempt: 2,
  });
  expect(taken?.token).toBeGreaterThan(run?.token ?? 0);
  expect((await dead.succeed(run)).fenced).toEqual([run?.runId]);
  expect((await worker.succeed(taken)).accepted).toEqual([run?.runId]);
});

test('cancel of a running run ends it as cancelled, its noderole as an error that says by whom', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('retried'), node });
  const [run] = await worker.claim();
  expect(await cancelRun(db, { runId: run?.runId ?? 0, actor: 'anna' })).toBe('cancelling');
  await worker.fail(run);
  expect(await runStatus(db, run?.runId ?? 0)).toBe('cancelled');
  expect(await noderole(db, id)).toMatchObject({ state: 'error', reason: 'cancelled by anna' });
  await expect(cancelRun(db, { runId: run?.runId ?? 0, actor: 'anna' })).rejects.toThrow(
    /has ended/,
  );
});

test('a cancelled run that does not stop is ended all the same', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const [run] = await worker.claim();
  await cancelRun(db, { runId: run?.runId ?? 0, actor: 'anna' });
  await passed(run?.runId ?? 0);
  await oneTick();
  expect(await runStatus(db, run?.runId ?? 0)).toBe('cancelled');
  expect((await noderole(db, id)).state).toBe('error');
});

test('a run past its deadline fails, and is retried by its policy', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('retried'), node });
  const [run] = await worker.claim();
  await passed(run?.runId ?? 0);
  await oneTick();
  expect(await runStatus(db, run?.runId ?? 0)).toBe('failed');
  expect((await noderole(db, id)).state).toBe('todo');
  expect((await worker.succeed(run)).fenced).toHaveLength(1);
  expect(await worker.finish()).toEqual([id]);
});

test('many changes while a refresh is queued make one refresh; one during it makes another', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('dns'), node });
  const child = await seedNoderole(db, { role: role('a'), node, parents: [id] });
  await worker.finish();
  const ask = () =>
    transaction(db, (tx) => requestRefresh(tx, { noderoleIds: [id], cause: 'host added' }));
  expect([await ask(), await ask(), await ask()]).toEqual([[id], [], []]);
  const [refresh] = await worker.claim();
  expect(refresh).toMatchObject({ kind: 'refresh', noderoleId: id });
  expect((await noderole(db, id)).state).toBe('active');
  expect(await ask()).toEqual([id]);
  expect(await worker.claim()).toEqual([]);
  await worker.succeed(refresh);
  const [second] = await worker.claim();
  await worker.fail(second, false);
  expect((await noderole(db, id)).state).toBe('error');
  expect(await noderole(db, child)).toMatchObject({ state: 'active', degraded_by: id });
});

test('a node that dies ends its runs, but for one that expects a reboot', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const [run] = await worker.claim();
  expect(
    await transaction(db, (tx) => nodeLost(tx, { nodeId: node, reason: 'the node died' })),
  ).toEqual([run?.runId]);
  expect(await noderole(db, id)).toMatchObject({ state: 'error', reason: 'the node died' });
  const reboots = await seedNoderole(db, { role: role('reboots'), node });
  const [second] = await worker.claim();
  expect(await transaction(db, (tx) => nodeLost(tx, { nodeId: node, reason: 'rebooted' }))).toEqual(
    [],
  );
  expect((await noderole(db, reboots)).state).toBe('transition');
  await worker.succeed(second);
});

test('a new boot runs discovery roles again, and no other', async () => {
  const { db, node, worker } = world;
  const facts = await seedNoderole(db, { role: role('facts'), node });
  const other = await seedNoderole(db, { role: role('b'), node });
  await worker.finish();
  await transaction(db, (tx) => nodeRebooted(tx, { nodeId: node }));
  expect((await noderole(db, other)).state).toBe('active');
  expect(await worker.finish()).toEqual([facts]);
});

test('ending the same runs twice in one call, or none, changes nothing more', async () => {
  const { db, node, worker } = world;
  await seedNoderole(db, { role: role('a'), node });
  const [run] = await worker.claim();
  const report = {
    runId: run?.runId ?? 0,
    token: run?.token ?? 0,
    outcome: { kind: 'succeeded' } as const,
  };
  const answer = await transaction(db, (tx) => completeRuns(tx, [report, report]));
  expect(answer.accepted).toEqual([report.runId]);
  expect(await transaction(db, (tx) => completeRuns(tx, []))).toEqual({ accepted: [], fenced: [] });
});
