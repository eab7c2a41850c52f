import { requestRuns, retryNoderoles, transaction } from '@hostwright/engine';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { annealerWorld } from './annealer-world.ts';
import { noderole } from './hand-worker.ts';
import { seedNoderole } from './seed-graph.ts';

const world = annealerWorld(
  [
    { name: 'a' },
    { name: 'b' },
    { name: 'c' },
    { name: 'd' },
    { name: 'persistent', retryLimit: 2, retryBackoffSeconds: 0 },
    { name: 'slow-retry', retryLimit: 1, retryBackoffSeconds: 30 },
    { name: 'wipe', destructive: true },
    { name: 'dns', lane: 'service' },
  ],
  3,
);
const { role } = world;

test('parents run before children, and a child of two waits for both', async () => {
  const { db, nodes, worker } = world;
  const [n = 0, m = 0] = nodes;
  const a = await seedNoderole(db, { role: role('a'), node: n });
  const b = await seedNoderole(db, { role: role('b'), node: m });
  const c = await seedNoderole(db, { role: role('c'), node: n, parents: [a, b] });
  const first = await worker.claim();
  expect(new Set(first.map((run) => run.noderoleId))).toEqual(new Set([a, b]));
  await worker.succeed(first[0]);
  expect(await worker.claim()).toEqual([]);
  expect((await noderole(db, c)).state).toBe('blocked');
  await worker.succeed(first[1]);
  expect((await noderole(db, c)).state).toBe('todo');
  expect(await worker.finish()).toEqual([c]);
});

test('a failure names itself to all below, holds nothing else, and a retry lets them go on', async () => {
  const { db, nodes, worker } = world;
  const [n = 0] = nodes;
  const a = await seedNoderole(db, { role: role('a'), node: n });
  const b = await seedNoderole(db, { role: role('b'), node: n, parents: [a] });
  const c = await seedNoderole(db, { role: role('c'), node: n, parents: [b] });
  const other = await seedNoderole(db, { role: role('d'), node: n });
  await worker.fail((await worker.claim(1))[0]);
  expect(await noderole(db, a)).toMatchObject({ state: 'error', reason: 'exit 1', failures: 1 });
  for (const id of [b, c]) {
    expect(await noderole(db, id)).toMatchObject({ state: 'blocked', blocked_by: a });
    expect((await noderole(db, id)).reason).toContain('failed: exit 1');
  }
  expect(await worker.finish()).toEqual([other]);
  expect(await retryNoderoles(db, { noderoleIds: [a], actor: 'anna' })).toEqual({
    retried: [a],
    skipped: [],
  });
  expect(await noderole(db, c)).toMatchObject({ blocked_by: null, reason: '' });
  expect(await worker.finish()).toEqual([a, b, c]);
});

test('an active noderole under a parent that failed stays active, degraded until the parent recovers', async () => {
  const { db, nodes, worker } = world;
  const [n = 0] = nodes;
  const a = await seedNoderole(db, { role: role('a'), node: n });
  const b = await seedNoderole(db, { role: role('b'), node: n, parents: [a] });
  const c = await seedNoderole(db, { role: role('c'), node: n, parents: [b] });
  await worker.finish();
  await transaction(db, (tx) => requestRuns(tx, { noderoleIds: [a], cause: 'test' }));
  expect(await noderole(db, b)).toMatchObject({ state: 'active', pending: 1, degraded_by: null });
  await worker.fail((await worker.claim())[0]);
  expect(await noderole(db, b)).toMatchObject({ state: 'active', degraded_by: a });
  expect(await noderole(db, c)).toMatchObject({ state: 'active', degraded_by: a });
  await retryNoderoles(db, { noderoleIds: [a], actor: 'anna' });
  expect(await worker.finish()).toEqual([a]);
  expect(await noderole(db, c)).toMatchObject({ state: 'active', degraded_by: null, pending: 0 });
});

test('when one of two failed ancestors recovers, the other is named', async () => {
  const { db, nodes, worker } = world;
  const [n = 0, m = 0] = nodes;
  const a = await seedNoderole(db, { role: role('a'), node: n });
  const b = await seedNoderole(db, { role: role('b'), node: m });
  const c = await seedNoderole(db, { role: role('c'), node: n, parents: [a, b] });
  for (const run of await worker.claim()) await worker.fail(run);
  expect((await noderole(db, c)).blocked_by).toBe(a);
  await retryNoderoles(db, { noderoleIds: [a], actor: 'anna' });
  expect(await worker.finish()).toEqual([a]);
  expect(await noderole(db, c)).toMatchObject({ state: 'blocked', blocked_by: b });
  await retryNoderoles(db, { noderoleIds: [b], actor: 'anna' });
  expect(await worker.finish()).toEqual([b, c]);
});

test('a role with a retry policy is tried again by itself, so often and no more', async () => {
  const { db, nodes, worker } = world;
  const id = await seedNoderole(db, { role: role('persistent'), node: nodes[0] ?? 0 });
  for (const expected of ['todo', 'todo', 'error']) {
    await worker.fail((await worker.claim())[0]);
    expect((await noderole(db, id)).state).toBe(expected);
  }
  expect(await worker.claim()).toEqual([]);
});

test('an automatic retry waits for its backoff; what cannot be retried is an error at once', async () => {
  const { db, nodes, worker } = world;
  const waits = await seedNoderole(db, { role: role('slow-retry'), node: nodes[0] ?? 0 });
  await worker.fail((await worker.claim())[0]);
  expect(await noderole(db, waits)).toMatchObject({ state: 'todo', holds: ['backoff'] });
  expect((await noderole(db, waits)).not_before).not.toBeNull();
  expect(await worker.claim()).toEqual([]);
  const fatal = await seedNoderole(db, { role: role('persistent'), node: nodes[1] ?? 0 });
  await worker.fail((await worker.claim())[0], false);
  expect((await noderole(db, fatal)).state).toBe('error');
});

test('the same cause again and again is an error that names it, not a loop', async () => {
  const { db, nodes, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node: nodes[0] ?? 0 });
  await worker.finish();
  for (let again = 1; again <= 5; again++) {
    await transaction(db, (tx) => requestRuns(tx, { noderoleIds: [id], cause: 'input x changed' }));
    expect(await worker.finish()).toEqual([id]);
  }
  const answer = await transaction(db, (tx) =>
    requestRuns(tx, { noderoleIds: [id], cause: 'input x changed' }),
  );
  expect(answer.looping).toEqual([id]);
  expect((await noderole(db, id)).reason).toContain('input x changed');
  expect((await noderole(db, id)).state).toBe('error');
  expect((await retryNoderoles(db, { noderoleIds: [id], actor: 'anna' })).retried).toEqual([id]);
  expect(await worker.finish()).toEqual([id]);
});

test('children about to start wait when their parent is to run again', async () => {
  const { db, nodes, worker } = world;
  const [n = 0, m = 0] = nodes;
  const a = await seedNoderole(db, { role: role('a'), node: n });
  const b = await seedNoderole(db, { role: role('b'), node: m, parents: [a] });
  await worker.succeed((await worker.claim())[0]);
  expect((await noderole(db, b)).state).toBe('todo');
  await transaction(db, (tx) => requestRuns(tx, { noderoleIds: [a], cause: 'test' }));
  expect(await noderole(db, b)).toMatchObject({ state: 'blocked', pending: 1 });
  expect(await worker.finish()).toEqual([a, b]);
});

test('retry of all of a role leaves destructive noderoles and other states alone, and says so', async () => {
  const { db, nodes, worker } = world;
  const wiped = await seedNoderole(db, { role: role('wipe'), node: nodes[0] ?? 0, state: 'error' });
  const other = await seedNoderole(db, { role: role('a'), node: nodes[1] ?? 0, state: 'error' });
  const answer = await retryNoderoles(db, { noderoleIds: [wiped, other, 999_999], actor: 'anna' });
  expect(answer.retried).toEqual([other]);
  expect(answer.skipped.map((skipped) => skipped.noderoleId)).toEqual([wiped, 999_999]);
  expect(await retryNoderoles(db, { roleId: role('wipe'), actor: 'anna' })).toMatchObject({
    retried: [],
  });
  await worker.finish();
});

test('retry of a role in one deployment leaves the same role elsewhere, and other roles there, alone', async () => {
  const { db, nodes, worker } = world;
  const [n = 0, m = 0] = nodes;
  const there = await seedNoderole(db, { role: role('c'), node: n, state: 'error' });
  const beside = await seedNoderole(db, { role: role('d'), node: n, state: 'error' });
  const elsewhere = await seedNoderole(db, { role: role('c'), node: m, state: 'error' });
  const { rows } = await sql<{ id: number }>`
    insert into deployment (name, parent_id) select 'shop', id from deployment where system returning id`.execute(
    db,
  );
  const deploymentId = rows[0]?.id ?? 0;
  await sql`update noderole set deployment_id = ${deploymentId} where id in (${there}, ${beside})`.execute(
    db,
  );
  const answer = await retryNoderoles(db, { roleId: role('c'), deploymentId, actor: 'anna' });
  expect(answer).toEqual({ retried: [there], skipped: [] });
  expect((await noderole(db, beside)).state).toBe('error');
  expect((await noderole(db, elsewhere)).state).toBe('error');
  expect(await worker.finish()).toEqual([there]);
});

test('soft order holds a child back while the parent is to run, not when it failed', async () => {
  const { db, nodes, worker } = world;
  const [n = 0, m = 0] = nodes;
  const first = await seedNoderole(db, { role: role('a'), node: n });
  const later = await seedNoderole(db, { role: role('b'), node: m, softParents: [first] });
  const claimed = await worker.claim();
  expect(claimed.map((run) => run.noderoleId)).toEqual([first]);
  expect((await noderole(db, later)).holds).toEqual(['order']);
  await worker.fail(claimed[0]);
  expect(await worker.finish()).toEqual([later]);
});

test('higher priority first, then lower cohort, then age', async () => {
  const { db, nodes, worker } = world;
  const [n = 0] = nodes;
  const old = await seedNoderole(db, { role: role('a'), node: n });
  const young = await seedNoderole(db, { role: role('b'), node: n });
  const urgent = await seedNoderole(db, { role: role('c'), node: n, priority: 5 });
  expect(await worker.finish()).toEqual([urgent, old, young]);
});

test('the service lane goes on while the host lane is busy', async () => {
  const { db, nodes, worker } = world;
  const [n = 0] = nodes;
  await seedNoderole(db, { role: role('a'), node: n });
  const dns = await seedNoderole(db, { role: role('dns'), node: n });
  const runs = await worker.claim();
  expect(runs.map((run) => run.lane).toSorted()).toEqual(['host', 'service']);
  for (const run of runs) await worker.succeed(run);
  expect((await noderole(db, dns)).state).toBe('active');
});

test('an illegal change of state is refused by the database whatever the code does', async () => {
  const { db, nodes } = world;
  const id = await seedNoderole(db, { role: role('a'), node: nodes[0] ?? 0, state: 'proposed' });
  await expect(
    sql`update noderole set state = 'active' where id = ${id}`.execute(db),
  ).rejects.toThrow(/may not go from proposed to active/);
});
