/** One test for each race of Crowbar's annealer that this design can meet; the numbers are those of its list. */
import {
  claimRuns,
  nodeLost,
  reconsiderInputs,
  requestRefresh,
  requestRuns,
  SILENT,
  startWorker,
  transaction,
  type Jig,
} from '@hostwright/engine';
import { noopJig } from '@hostwright/jigs';
import { eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { annealerWorld } from './annealer-world.ts';
import { handWorker, noderole, runStatus } from './hand-worker.ts';
import { readState, seedNoderole, seedNodes } from './seed-graph.ts';

const world = annealerWorld([
  { name: 'a', inputs: ['size'] },
  { name: 'b' },
  { name: 'dns', lane: 'service' },
]);
const { role, thorough } = world;

const change = (id: number, size: number) =>
  transaction(world.db, async (tx) => {
    await sql`update noderole set data = ${JSON.stringify({ size })}::jsonb where id = ${id}`.execute(
      tx,
    );
    await reconsiderInputs(tx, { noderoleIds: [id], cause: 'size changed' });
  });

test('race C1: a re-run asked for while a run ends is not overwritten by its end', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const [run] = await worker.claim();
  await change(id, 2);
  await worker.succeed(run);
  expect(await noderole(db, id)).toMatchObject({
    state: 'todo',
    cause: 'its inputs changed during the run',
  });
  expect(await worker.finish()).toEqual([id]);
  expect((await noderole(db, id)).state).toBe('active');
});

test('race C1: a child does not become active under a parent that has left active, unmarked', async () => {
  const { db, node, worker } = world;
  const parent = await seedNoderole(db, { role: role('dns'), node });
  const child = await seedNoderole(db, { role: role('a'), node, parents: [parent] });
  await worker.succeed((await worker.claim())[0]);
  const [run] = await worker.claim();
  await transaction(db, (tx) => requestRuns(tx, { noderoleIds: [parent], cause: 'test' }));
  const [again] = await worker.claim();
  await worker.fail(again);
  await worker.succeed(run);
  expect(await noderole(db, child)).toMatchObject({
    state: 'active',
    pending: 1,
    degraded_by: parent,
  });
});

test('race C2: data that changes between the request and the start is what the run gets', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node, data: { size: 1 } });
  await change(id, 3);
  const [run] = await worker.claim();
  expect(run?.attribs).toMatchObject({ size: 3 });
  await worker.succeed(run);
  expect(await worker.claim()).toEqual([]);
});

test('race C3: a node that dies and comes back has one run, and the old one cannot spoil it', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const [old] = await worker.claim();
  await transaction(db, async (tx) => {
    await sql`update node set alive = false where id = ${node}`.execute(tx);
    await nodeLost(tx, { nodeId: node, reason: 'the node died' });
  });
  await sql`update node set alive = true where id = ${node}`.execute(db);
  await transaction(db, (tx) =>
    requestRuns(tx, { noderoleIds: [id], cause: 'retry', actor: 'anna' }),
  );
  const [fresh] = await worker.claim();
  expect(fresh?.runId).not.toBe(old?.runId);
  expect((await worker.fail(old)).fenced).toEqual([old?.runId]);
  expect((await noderole(db, id)).state).toBe('transition');
  await worker.succeed(fresh);
  expect((await noderole(db, id)).state).toBe('active');
});

test('race C4: a worker that comes back after its runs were taken over reports in vain', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const lost = await handWorker(db);
  const [run] = await lost.claim();
  await lost.die();
  await thorough();
  const [second] = await worker.claim();
  expect((await lost.succeed(run, { from: 'the dead' })).accepted).toEqual([]);
  await worker.succeed(second, { from: 'the living' });
  const { rows } = await sql<{ wall: object }>`select wall from noderole where id = ${id}`.execute(
    db,
  );
  expect(rows[0]?.wall).toEqual({ from: 'the living' });
});

test('race C5: a node made unavailable in mid-run still ends its run in a state of rest', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const next = await seedNoderole(db, { role: role('b'), node, parents: [id] });
  const [run] = await worker.claim();
  await sql`update node set available = false where id = ${node}`.execute(db);
  await worker.succeed(run);
  expect([await readState(db, id), await readState(db, next)]).toEqual(['active', 'todo']);
  expect(await worker.claim()).toEqual([]);
  await sql`update node set available = true where id = ${node}`.execute(db);
  expect(await worker.finish()).toEqual([next]);
});

test('race C6: a child whose unblocking was lost is found by the tick', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const child = await seedNoderole(db, { role: role('b'), node, parents: [id] });
  await worker.finish();
  await sql`alter table noderole disable trigger user`.execute(db);
  await sql`update noderole set state = 'blocked', pending = 1 where id = ${child}`.execute(db);
  await sql`alter table noderole enable trigger user`.execute(db);
  await thorough();
  expect(await worker.finish()).toEqual([child]);
});

test('race C7: without any notification the work is done all the same', async () => {
  const { database, db, node } = world;
  const real = await startWorker({ database, jigs: [noopJig], log: SILENT, name: 'w', tickMs: 50 });
  await sql`alter table noderole disable trigger user`.execute(db);
  const id = await seedNoderole(db, { role: role('a'), node });
  await sql`alter table noderole enable trigger user`.execute(db);
  await eventually(async () => (await readState(db, id)) === 'active');
  await real.stop();
});

test('race C9: a refresh asked for while the noderole runs, or cannot run, is not dropped', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('dns'), node });
  const [run] = await worker.claim();
  expect(
    await transaction(db, (tx) => requestRefresh(tx, { noderoleIds: [id], cause: 'host added' })),
  ).toEqual([id]);
  await worker.succeed(run);
  await sql`update node set alive = false where id = ${node}`.execute(db);
  expect(await worker.claim()).toEqual([]);
  await sql`update node set alive = true where id = ${node}`.execute(db);
  const [refresh] = await worker.claim();
  expect(refresh).toMatchObject({ kind: 'refresh', noderoleId: id });
  await worker.succeed(refresh);
});

test('race C10: a refresh reads its data when it starts, so the last change is in it', async () => {
  const { db, node, worker } = world;
  const [id] = [await seedNoderole(db, { role: role('a'), node, data: { size: 1 } })];
  await worker.finish();
  await transaction(db, (tx) => requestRefresh(tx, { noderoleIds: [id], cause: 'size' }));
  await sql`update noderole set data = '{"size": 9}' where id = ${id}`.execute(db);
  const [refresh] = await worker.claim();
  expect(refresh?.attribs).toMatchObject({ size: 9 });
  await worker.succeed(refresh);
});

test('race C12: a claim neither waits for a reader or writer of noderoles, nor makes readers wait', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const free = await seedNoderole(db, { role: role('b'), node });
  await transaction(db, async (tx) => {
    await sql`update noderole set revision = revision + 1 where id = ${id}`.execute(tx);
    const claimed = await claimRuns(db, { workerId: worker.id, limit: 5 });
    expect(claimed.runs.map((run) => run.noderoleId)).toEqual([free]);
    expect((await sql`select from noderole`.execute(db)).rows.length).toBeGreaterThan(0);
    for (const run of claimed.runs) await worker.succeed(run);
  });
  expect(await worker.finish()).toEqual([id]);
});

test('race C18: what a retried transaction says, it says once', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  await worker.finish();
  let tries = 0;
  await transaction(db, async (tx) => {
    await requestRuns(tx, { noderoleIds: [id], cause: 'retried transaction' });
    if (++tries === 1) throw Object.assign(new Error('deadlock'), { code: '40P01' });
  });
  const { rows } =
    await sql`select from event_record where noderole_id = ${id} and payload ->> 'cause' = 'retried transaction'`.execute(
      db,
    );
  expect([tries, rows.length]).toEqual([2, 1]);
  await worker.finish();
});

test('race C20: an error on a node holds back its descendants and nothing else', async () => {
  const { db, node, worker } = world;
  const bad = await seedNoderole(db, { role: role('a'), node });
  await worker.fail((await worker.claim())[0]);
  const other = await seedNoderole(db, { role: role('b'), node });
  expect(await worker.finish()).toEqual([other]);
  expect(await readState(db, bad)).toBe('error');
});

test('race C20: a run that waits keeps its lane and no other', async () => {
  const { db, node, worker } = world;
  await seedNoderole(db, { role: role('a'), node });
  const [run] = await worker.claim();
  if (!run) throw new Error('nothing claimed');
  await worker.report(run, { kind: 'waiting', evidence: 'never' });
  const dns = await seedNoderole(db, { role: role('dns'), node });
  expect(await worker.finish()).toEqual([dns]);
  await transaction(db, (tx) => nodeLost(tx, { nodeId: node, reason: 'enough' }));
});

test('race C21: any number of waiting runs leave all places of a worker free', async () => {
  const { database, db } = world;
  const nodes = await seedNodes(db, 12, 'waits');
  for (const each of nodes) await seedNoderole(db, { role: role('b'), node: each });
  const jig: Jig = {
    name: 'noop',
    description: 'waits',
    run: () => Promise.resolve({ kind: 'waiting', evidence: 'never' }),
  };
  const real = await startWorker({ database, jigs: [jig], log: SILENT, name: 'w', concurrency: 2 });
  await eventually(
    async () =>
      (await sql`select from run where status = 'waiting'`.execute(db)).rows.length === 12,
  );
  expect(real.status().running).toBe(0);
  await real.stop();
  for (const each of nodes)
    await transaction(db, (tx) => nodeLost(tx, { nodeId: each, reason: 'enough' }));
});

test('race C23: a refresh may be asked for inside any transaction, and goes with it', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('dns'), node });
  await worker.finish();
  const undone = transaction(db, async (tx) => {
    await requestRefresh(tx, { noderoleIds: [id], cause: 'rolled back' });
    throw new Error('undo');
  });
  await expect(undone).rejects.toThrow('undo');
  expect(await worker.claim()).toEqual([]);
});

test('race C24: the explanation of an error given by the tick is kept', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const [run] = await worker.claim();
  await sql`update run set deadline_at = now() - interval '1 minute' where id = ${run?.runId}`.execute(
    db,
  );
  await thorough();
  expect(await noderole(db, id)).toMatchObject({ state: 'error', reason: 'deadline passed' });
  const { rows } = await sql<{
    error: string;
  }>`select error from run where id = ${run?.runId}`.execute(db);
  expect(rows).toEqual([{ error: 'deadline passed' }]);
  expect(await runStatus(db, run?.runId ?? 0)).toBe('failed');
});
