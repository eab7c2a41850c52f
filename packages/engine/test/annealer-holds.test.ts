import {
  grantConsent,
  pauseDeployment,
  removeNoderoles,
  requestPass,
  requestRefresh,
  requestRuns,
  resumeDeployment,
  retryNoderoles,
  setAnnealer,
  SILENT,
  startWorker,
  transaction,
} from '@hostwright/engine';
import { noopJig } from '@hostwright/jigs';
import { eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { annealerWorld } from './annealer-world.ts';
import { handWorker, noderole, runStatus } from './hand-worker.ts';
import { readState, seedNoderole } from './seed-graph.ts';

const world = annealerWorld(
  [
    { name: 'a' },
    { name: 'b' },
    { name: 'c' },
    { name: 'wipe', destructive: true, data: { disk: 'sda' } },
    { name: 'torn', teardown: true },
    { name: 'torn-child', teardown: true },
    { name: 'switched', jig: 'switched' },
    { name: 'save', powersave: true },
    { name: 'dns', lane: 'service' },
  ],
  4,
);
const { role, thorough } = world;

const system = async () =>
  (await sql<{ id: number }>`select id from deployment where system`.execute(world.db)).rows[0]
    ?.id ?? 0;

test('a destructive noderole waits for consent, uses it once, and then only drifts', async () => {
  const { db, nodes, worker } = world;
  const id = await seedNoderole(db, { role: role('wipe'), node: nodes[0] ?? 0 });
  expect(await worker.claim()).toEqual([]);
  expect((await noderole(db, id)).holds).toEqual(['consent']);
  const { inputHash } = await grantConsent(db, { noderoleId: id, disks: ['sda'], actor: 'anna' });
  expect(await worker.finish()).toEqual([id]);
  const { rows } = await sql<{
    used: boolean;
    input_hash: string;
  }>`select used_by_run > 0 as used, input_hash from consent where noderole_id = ${id}`.execute(db);
  expect(rows).toEqual([{ used: true, input_hash: inputHash }]);
  const again = await transaction(db, (tx) =>
    requestRuns(tx, { noderoleIds: [id], cause: 'disk changed' }),
  );
  expect(again).toMatchObject({ requested: [], drifted: [id] });
  expect(await noderole(db, id)).toMatchObject({ state: 'active', drifted: true });
  expect(await retryNoderoles(db, { noderoleIds: [id], actor: 'anna' })).toMatchObject({
    retried: [id],
  });
  expect(await worker.claim()).toEqual([]);
  expect((await noderole(db, id)).holds).toEqual(['consent']);
});

test('a consent for other inputs than those of now is refused, or not enough', async () => {
  const { db, nodes, worker } = world;
  const id = await seedNoderole(db, { role: role('wipe'), node: nodes[0] ?? 0 });
  await expect(
    grantConsent(db, { noderoleId: id, inputHash: 'what it was', actor: 'anna' }),
  ).rejects.toThrow(/has changed/);
  await sql`insert into consent (noderole_id, input_hash, granted_by) values (${id}, 'of old', 'anna')`.execute(
    db,
  );
  expect(await worker.claim()).toEqual([]);
});

test('a worker lost in a destructive run leaves an error, never a second run', async () => {
  const { db, nodes, worker } = world;
  const id = await seedNoderole(db, { role: role('wipe'), node: nodes[0] ?? 0 });
  await grantConsent(db, { noderoleId: id, actor: 'anna' });
  const dead = await handWorker(db);
  expect(await dead.claim()).toHaveLength(1);
  await dead.die();
  await thorough();
  expect(await noderole(db, id)).toMatchObject({ state: 'error' });
  expect((await noderole(db, id)).reason).toContain('destructive');
  expect(await worker.claim()).toEqual([]);
});

test('nothing starts in a paused deployment or below it, refreshes are made up for afterwards', async () => {
  const { db, nodes, worker } = world;
  const deploymentId = await system();
  const dns = await seedNoderole(db, { role: role('dns'), node: nodes[0] ?? 0 });
  await worker.finish();
  const early = await seedNoderole(db, { role: role('a'), node: nodes[0] ?? 0 });
  await pauseDeployment(db, { deploymentId, actor: 'anna' });
  const late = await seedNoderole(db, { role: role('b'), node: nodes[1] ?? 0 });
  await transaction(db, (tx) => requestRefresh(tx, { noderoleIds: [dns], cause: 'host added' }));
  expect(await worker.claim()).toEqual([]);
  await thorough();
  expect(await worker.claim()).toEqual([]);
  expect((await noderole(db, early)).holds).toEqual(['paused']);
  await resumeDeployment(db, { deploymentId, actor: 'anna' });
  const runs = await worker.claim();
  expect(new Map(runs.map((run) => [run.noderoleId, run.kind]))).toEqual(
    new Map([
      [dns, 'refresh' as const],
      [early, 'run' as const],
      [late, 'run' as const],
    ]),
  );
  for (const run of runs) await worker.succeed(run);
});

test('work of a jig that is switched off waits, and goes on by itself when it is back', async () => {
  const { db, nodes, worker } = world;
  const id = await seedNoderole(db, { role: role('switched'), node: nodes[0] ?? 0 });
  await sql`update jig set active = false where name = 'switched'`.execute(db);
  expect(await worker.claim()).toEqual([]);
  expect((await noderole(db, id)).holds).toEqual(['jig']);
  await sql`update jig set active = true where name = 'switched'`.execute(db);
  await thorough();
  expect(await worker.finish()).toEqual([id]);
});

test('unbound: what never ran goes at once; the rest is torn down, children first', async () => {
  const { db, nodes, worker } = world;
  const [n = 0, m = 0] = nodes;
  const fresh = await seedNoderole(db, { role: role('a'), node: n });
  await transaction(db, (tx) => removeNoderoles(tx, { noderoleIds: [fresh] }));
  expect(await readState(db, fresh)).toBeUndefined();
  const parent = await seedNoderole(db, { role: role('torn'), node: n });
  const child = await seedNoderole(db, { role: role('torn-child'), node: m, parents: [parent] });
  await worker.finish();
  await transaction(db, (tx) =>
    removeNoderoles(tx, { noderoleIds: [parent, child], actor: 'anna' }),
  );
  const [first, ...none] = await worker.claim();
  expect(none).toEqual([]);
  expect(first).toMatchObject({ kind: 'teardown', noderoleId: child });
  await worker.succeed(first);
  const [second] = await worker.claim();
  expect(second).toMatchObject({ kind: 'teardown', noderoleId: parent });
  await worker.fail(second);
  expect(await noderole(db, parent)).toMatchObject({
    state: 'error',
    reason: 'teardown failed: exit 1',
  });
  expect(await worker.claim()).toEqual([]);
  await retryNoderoles(db, { noderoleIds: [parent], actor: 'anna' });
  await worker.succeed((await worker.claim())[0]);
  expect(await readState(db, parent)).toBeUndefined();
});

test('unbound while it runs: stopped, then torn down; abandon takes it away at once', async () => {
  const { db, nodes, worker } = world;
  const [n = 0, m = 0] = nodes;
  const id = await seedNoderole(db, { role: role('torn'), node: n });
  const gone = await seedNoderole(db, { role: role('torn'), node: m });
  const runs = await worker.claim();
  const run = runs.find((claimed) => claimed.noderoleId === id);
  await transaction(db, (tx) => removeNoderoles(tx, { noderoleIds: [gone], abandon: true }));
  expect(await readState(db, gone)).toBeUndefined();
  expect(
    (await worker.succeed(runs.find((claimed) => claimed.noderoleId === gone))).accepted,
  ).toEqual([]);
  await transaction(db, (tx) => removeNoderoles(tx, { noderoleIds: [id] }));
  expect(await runStatus(db, run?.runId ?? 0)).toBe('cancelling');
  await worker.fail(run);
  const [teardown] = await worker.claim();
  expect(teardown).toMatchObject({ kind: 'teardown', noderoleId: id });
  await worker.succeed(teardown);
  expect(await readState(db, id)).toBeUndefined();
});

test('a teardown that cannot start before its deadline is an error that says what to do', async () => {
  const { db, nodes, worker } = world;
  const id = await seedNoderole(db, { role: role('torn'), node: nodes[0] ?? 0 });
  await worker.finish();
  await sql`update node set alive = false where id = ${nodes[0]}`.execute(db);
  await transaction(db, (tx) => removeNoderoles(tx, { noderoleIds: [id] }));
  await sql`update run set deadline_at = now() - interval '1 second' where noderole_id = ${id} and status = 'queued'`.execute(
    db,
  );
  await thorough();
  expect((await noderole(db, id)).reason).toContain('abandon');
});

test('manual mode starts nothing until a pass is asked for; drain starts nothing at all', async () => {
  const { database, db, nodes } = world;
  await setAnnealer(db, { mode: 'manual' });
  const first = await seedNoderole(db, { role: role('a'), node: nodes[0] ?? 0 });
  const then = await seedNoderole(db, { role: role('b'), node: nodes[0] ?? 0, parents: [first] });
  const real = await startWorker({ database, jigs: [noopJig], log: SILENT, name: 'w', tickMs: 50 });
  expect(await real.annealOnce()).toBe(1);
  expect([await readState(db, first), await readState(db, then)]).toEqual(['active', 'todo']);
  expect(await requestPass(db)).toBe(true);
  await eventually(async () => (await readState(db, then)) === 'active');
  await setAnnealer(db, { mode: 'drain' });
  expect(await requestPass(db)).toBe(false);
  const last = await seedNoderole(db, { role: role('c'), node: nodes[0] ?? 0 });
  await setAnnealer(db, { mode: 'auto' });
  await eventually(async () => (await readState(db, last)) === 'active');
  await real.stop();
});

test('a powersave node with nothing left to do is wished off once, and on when work comes', async () => {
  const { db, nodes, worker } = world;
  const [n = 0] = nodes;
  await seedNoderole(db, { role: role('save'), node: n });
  await worker.finish();
  await thorough();
  await thorough();
  const wishes = async () =>
    (
      await sql<{
        wanted: string;
      }>`select payload ->> 'wanted' as wanted from event where kind = 'node.power' and node_id = ${n} order by id`.execute(
        db,
      )
    ).rows.map((row) => row.wanted);
  expect(await wishes()).toEqual(['off']);
  await sql`update node set alive = false, alive_changed_at = clock_timestamp() where id = ${n}`.execute(
    db,
  );
  await seedNoderole(db, { role: role('a'), node: n });
  await thorough();
  expect(await wishes()).toEqual(['off', 'on']);
});
