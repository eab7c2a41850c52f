/** Races of a run's start and end with what others do to its noderole, its parents and its children. */
import {
  claimRuns,
  pauseDeployment,
  reconsiderInputs,
  recordEvidence,
  removeNoderoles,
  requestRefresh,
  requestRuns,
  resolveInputs,
  resumeDeployment,
  retryNoderoles,
  transaction,
  type Tx,
} from '@hostwright/engine';
import { resumeRuns } from '../src/run/resume-runs.ts';
import { eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { annealerWorld } from './annealer-world.ts';
import { handWorker, noderole, runStatus } from './hand-worker.ts';
import { readState, seedNoderole, seedNodes } from './seed-graph.ts';

const world = annealerWorld([
  { name: 'a', inputs: ['size'], teardown: true },
  { name: 'b', teardown: true },
  { name: 'c' },
  { name: 'dns', lane: 'service' },
  { name: 'wipe', destructive: true },
]);
const { role, thorough } = world;

/** How many transactions wait for another. */
const waiters = async (): Promise<number> => {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
    world.db,
  );
  return rows.length;
};

/** Does `first`, and before it is committed starts `second`, which has to wait for it. */
const whileHeld = async <Result>(
  first: (tx: Tx) => Promise<void>,
  second: () => Promise<Result>,
): Promise<Result> => {
  let waiting: Promise<Result> | undefined;
  await transaction(world.db, async (tx) => {
    await first(tx);
    waiting = second();
    await eventually(async () => (await waiters()) > 0);
  });
  if (waiting === undefined) throw new Error('nothing was started');
  return waiting;
};

const refresh = (id: number) =>
  transaction(world.db, (tx) => requestRefresh(tx, { noderoleIds: [id], cause: 'data' }));
const rerun = (id: number) =>
  transaction(world.db, (tx) => requestRuns(tx, { noderoleIds: [id], cause: 'test' }));
const remove = (...ids: readonly number[]) =>
  transaction(world.db, (tx) => removeNoderoles(tx, { noderoleIds: ids, actor: 'anna' }));

test('a refresh that fails after its noderole was asked to run under a lost parent leaves it blocked', async () => {
  const { db, node, worker } = world;
  const parent = await seedNoderole(db, { role: role('a'), node });
  const child = await seedNoderole(db, { role: role('dns'), node, parents: [parent] });
  await worker.finish();
  await refresh(child);
  const [run] = await worker.claim();
  await rerun(parent);
  await rerun(child);
  expect(await readState(db, child)).toBe('blocked');
  expect((await worker.fail(run)).accepted).toEqual([run?.runId]);
  expect(await noderole(db, child)).toMatchObject({ state: 'blocked', run_id: null });
  expect(await worker.finish()).toEqual([parent, child]);
});

test('a teardown that fails while its parent runs again is an error, not a run that cannot end', async () => {
  const { db, node, worker } = world;
  const parent = await seedNoderole(db, { role: role('dns'), node });
  const child = await seedNoderole(db, { role: role('a'), node, parents: [parent] });
  await worker.finish();
  await rerun(child);
  await remove(child);
  const [teardown] = await worker.claim();
  expect(teardown?.kind).toBe('teardown');
  await rerun(parent);
  expect((await worker.fail(teardown)).accepted).toEqual([teardown?.runId]);
  expect(await noderole(db, child)).toMatchObject({
    state: 'error',
    reason: 'teardown failed: exit 1',
  });
  await worker.finish();
});

test('a parent that ends while a commit takes its child elsewhere does not count for that child', async () => {
  const { db, node, worker } = world;
  const old = await seedNoderole(db, { role: role('dns'), node });
  const [other = 0] = await seedNodes(db, 1, 'other');
  const fresh = await seedNoderole(db, { role: role('b'), node: other });
  const child = await seedNoderole(db, { role: role('a'), node, parents: [old] });
  const run = (await worker.claim()).find((claimed) => claimed.noderoleId === old);
  await whileHeld(
    async (tx) => {
      await sql`select from noderole where id = ${child} for update`.execute(tx);
      await sql`update edge set parent_id = ${fresh} where child_id = ${child}`.execute(tx);
    },
    () => worker.succeed(run),
  );
  expect(await noderole(db, child)).toMatchObject({ state: 'blocked', pending: 1 });
});

test('a parent that ends while a commit gives it a child counts for that child', async () => {
  const { db, node, worker } = world;
  const parent = await seedNoderole(db, { role: role('dns'), node });
  const child = await seedNoderole(db, { role: role('a'), node, state: 'proposed' });
  const [run] = await worker.claim();
  await whileHeld(
    async (tx) => {
      await sql`select from noderole where id = ${parent} for share`.execute(tx);
      await sql`insert into edge (parent_id, child_id) values (${parent}, ${child})`.execute(tx);
      await sql`update noderole set pending = 1, state = 'blocked' where id = ${child}`.execute(tx);
    },
    () => worker.succeed(run),
  );
  expect(await noderole(db, child)).toMatchObject({ state: 'todo', pending: 0 });
  await worker.finish();
});

test('data that changes while a noderole is being claimed is noticed when its run ends', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const frozen = (await resolveInputs(db, [id])).get(id)?.attribsHash;
  const change = transaction.bind(undefined, db, async (tx) => {
    await sql`update node set hint = '{"size": 5}' where id = ${node}`.execute(tx);
    await reconsiderInputs(tx, { noderoleIds: [id], cause: 'size changed' });
  });
  await sql`delete from frozen_attribs where hash = ${frozen}`.execute(db);
  const under = await transaction(db, async (tx) => {
    // the claim reads its inputs, and then waits here to store them
    await sql`insert into frozen_attribs (hash, attribs) values (${frozen}, '{}')`.execute(tx);
    const claiming = claimRuns(db, { workerId: worker.id, limit: 1 });
    await eventually(async () => (await waiters()) === 1);
    let done = false;
    const changing = change().then(() => (done = true));
    await eventually(async () => done || (await waiters()) === 2);
    return { claiming, changing };
  });
  const { runs } = await under.claiming;
  await under.changing;
  expect(runs[0]?.attribs).toEqual({});
  await worker.succeed(runs[0]);
  expect(await noderole(db, id)).toMatchObject({
    state: 'todo',
    cause: 'its inputs changed during the run',
  });
  await worker.finish();
});

test('what a slow worker says of a run it had resumed is void once the run is taken from it', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  const slow = await handWorker(db);
  const [run] = await slow.claim();
  if (run === undefined) throw new Error('nothing claimed');
  await slow.report(run, { kind: 'waiting', evidence: 'ack' });
  await transaction(db, (tx) => recordEvidence(tx, { runId: run.runId, key: 'ack' }));
  const [held] = await resumeRuns(db, { workerId: slow.id, limit: 5 });
  // it says once more that it waits: the answer to the first time was lost
  expect((await slow.report(run, { kind: 'waiting', evidence: 'ack' })).accepted).toEqual([]);
  await slow.die();
  await thorough();
  expect(await runStatus(db, run.runId)).toBe('waiting');
  const [again] = await resumeRuns(db, { workerId: worker.id, limit: 5 });
  expect((await slow.fail(held)).accepted).toEqual([]);
  expect((await worker.succeed(again)).accepted).toEqual([run.runId]);
  expect(await readState(db, id)).toBe('active');
});

test('workers lost now and then, with refreshes that succeed in between, are no loop', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('dns'), node });
  await worker.finish();
  for (let times = 0; times < 7; times++) {
    await refresh(id);
    const lost = await handWorker(db);
    await lost.claim();
    await lost.die();
    await thorough();
    await worker.finish();
  }
  expect(await readState(db, id)).toBe('active');
});

test('a drifted child keeps the reason of its drift when its parent runs again', async () => {
  const { db, node, worker } = world;
  const parent = await seedNoderole(db, { role: role('dns'), node });
  const child = await seedNoderole(db, {
    role: role('wipe'),
    node,
    parents: [parent],
    state: 'active',
  });
  await sql`update noderole set drifted = true, drift_reason = 'disks changed' where id = ${child}`.execute(
    db,
  );
  await worker.finish();
  const { rows } =
    await sql`select drifted, drift_reason from noderole where id = ${child}`.execute(db);
  expect(rows).toEqual([{ drifted: true, drift_reason: 'disks changed' }]);
});

test('an error keeps its reason when an ancestor that had degraded it recovers', async () => {
  const { db, node, worker } = world;
  const parent = await seedNoderole(db, { role: role('a'), node });
  const child = await seedNoderole(db, { role: role('dns'), node, parents: [parent] });
  await worker.finish();
  await rerun(parent);
  await worker.fail((await worker.claim())[0]);
  expect((await noderole(db, child)).degraded_by).toBe(parent);
  await refresh(child);
  await worker.fail((await worker.claim())[0]);
  await retryNoderoles(db, { noderoleIds: [parent], actor: 'anna' });
  await worker.finish();
  expect(await noderole(db, child)).toMatchObject({
    state: 'error',
    reason: 'exit 1',
    degraded_by: null,
  });
});

test('a teardown put off by a pause is done after it', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  await worker.finish();
  await remove(id);
  const { rows } = await sql<{ id: number }>`select id from deployment where system`.execute(db);
  const pause = { deploymentId: rows[0]?.id ?? 0, actor: 'anna' };
  await pauseDeployment(db, pause);
  expect(await worker.claim()).toEqual([]);
  await thorough();
  expect(await worker.claim()).toEqual([]);
  await resumeDeployment(db, pause);
  await thorough();
  expect(await worker.finish()).toEqual([id]);
  expect(await readState(db, id)).toBeUndefined();
});

test('retrying everything tears nothing down before its children', async () => {
  const { db, node, worker } = world;
  const parent = await seedNoderole(db, { role: role('a'), node });
  const child = await seedNoderole(db, { role: role('b'), node, parents: [parent] });
  await worker.finish();
  await rerun(parent);
  const [run] = await worker.claim();
  await remove(parent, child);
  if (run !== undefined) await worker.report(run, { kind: 'cancelled' });
  expect(await readState(db, parent)).toBe('error');
  await retryNoderoles(db, { noderoleIds: [parent], actor: 'anna' });
  expect(await worker.finish()).toEqual([child, parent]);
});

test('a hold given while others are taken away stays', async () => {
  const { db, node } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  await sql`update noderole set holds = '{backoff}' where id = ${id}`.execute(db);
  await whileHeld(
    async (tx) => {
      await sql`update noderole set holds = array_append(holds, 'halted') where id = ${id}`.execute(
        tx,
      );
    },
    () => thorough(),
  );
  expect((await noderole(db, id)).holds).toEqual(['halted']);
});

test('a run claimed while its noderole is unbound is stopped too', async () => {
  const { db, node, worker } = world;
  const id = await seedNoderole(db, { role: role('c'), node });
  const frozen = (await resolveInputs(db, [id])).get(id)?.attribsHash;
  await sql`delete from frozen_attribs where hash = ${frozen}`.execute(db);
  const under = await transaction(db, async (tx) => {
    await sql`insert into frozen_attribs (hash, attribs) values (${frozen}, '{}')`.execute(tx);
    const claiming = claimRuns(db, { workerId: worker.id, limit: 1 });
    await eventually(async () => (await waiters()) === 1);
    const removing = remove(id);
    await eventually(async () => (await waiters()) === 2);
    return { claiming, removing };
  });
  const { runs } = await under.claiming;
  await under.removing;
  expect(await runStatus(db, runs[0]?.runId ?? 0)).toBe('cancelling');
  await worker.succeed(runs[0]);
  expect(await readState(db, id)).toBeUndefined();
});
