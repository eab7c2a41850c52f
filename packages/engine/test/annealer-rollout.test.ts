/** Commits that go out by degrees: rolling limit, canary, stop after failures. */
import { resumeDeployment, startRollout, transaction } from '@hostwright/engine';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { advanceRollouts } from '../src/rollout/advance-rollouts.ts';
import { annealerWorld } from './annealer-world.ts';
import { readState, seedNoderole, seedNodes } from './seed-graph.ts';

const world = annealerWorld([{ name: 'a' }, { name: 'b' }], 4);
const { role, thorough } = world;

const system = async () =>
  (await sql<{ id: number }>`select id from deployment where system`.execute(world.db)).rows[0]
    ?.id ?? 0;

let revision = 0;
const commitOf = async (
  how: { rolling?: number; canary?: number; stop?: number },
  nodes: readonly number[] = world.nodes,
): Promise<{ snapshot: number; noderoles: number[] }> => {
  const { db } = world;
  await sql`update snapshot set state = 'superseded' where state = 'committed'`.execute(db);
  const { rows } = await sql<{ id: number }>`
    insert into snapshot (deployment_id, revision, state, created_by, rolling_limit, canary, stop_after_failures)
    values (${await system()}, ${++revision}, 'committed', 'anna', ${how.rolling ?? null}, ${how.canary ?? null}, ${how.stop ?? null}) returning id`.execute(
    db,
  );
  const snapshot = rows[0]?.id ?? 0;
  const noderoles: number[] = [];
  for (const node of nodes)
    noderoles.push(await seedNoderole(db, { role: role('a'), node, snapshot }));
  await transaction(db, (tx) => startRollout(tx, { snapshotId: snapshot }));
  return { snapshot, noderoles };
};

test('a rolling limit lets so many nodes go at once', async () => {
  const { db, worker } = world;
  const { noderoles } = await commitOf({ rolling: 2 });
  const [first, second, ...more] = await worker.claim();
  expect(more).toEqual([]);
  await worker.succeed(first);
  const [third, ...none] = await worker.claim();
  expect(none).toEqual([]);
  await worker.succeed(second);
  await worker.succeed(third);
  expect(await worker.finish()).toHaveLength(1);
  for (const id of noderoles) expect(await readState(db, id)).toBe('active');
});

test('a node that is dead keeps no place of a rolling commit', async () => {
  const { db, worker } = world;
  const { noderoles } = await commitOf({ rolling: 1 });
  const [first = 0, second] = noderoles;
  await sql`update node set alive = false where id = (select node_id from noderole where id = ${first})`.execute(
    db,
  );
  await thorough();
  const [next] = await worker.claim();
  expect(next?.noderoleId).toBe(second);
  await worker.succeed(next);
  await sql`update node set alive = true where id = (select node_id from noderole where id = ${first})`.execute(
    db,
  );
  expect((await worker.finish()).length).toBe(noderoles.length - 1);
});

test('a canary that waits for an error elsewhere does not let the rest go; one that waits for a held node gets it', async () => {
  const { db, nodes, worker } = world;
  const { snapshot, noderoles } = await commitOf({ canary: 1 });
  const [canary = 0, second = 0] = noderoles;
  const failed = await seedNoderole(db, { role: role('b'), node: nodes[3] ?? 0, state: 'error' });
  const under = async (parent: number) => {
    await sql`insert into edge (parent_id, child_id) values (${parent}, ${canary})`.execute(db);
    await sql`update noderole set state = 'blocked', pending = 1 where id = ${canary}`.execute(db);
    await transaction(db, (tx) => advanceRollouts(tx, [snapshot]));
    const { rows } = await sql<{ id: number }>`
      select id from noderole where snapshot_id = ${snapshot} and not 'rolling' = any(holds) order by id`.execute(
      db,
    );
    await sql`delete from edge where child_id = ${canary}`.execute(db);
    return rows.map((row) => row.id);
  };
  expect(await under(failed)).toEqual([canary]);
  expect(await under(noderoles[2] ?? 0)).toEqual([canary, noderoles[2]]);
  expect(await readState(db, second)).toBe('todo');
  await sql`delete from noderole where id = ${failed}`.execute(db);
  await thorough();
  expect((await worker.finish()).length).toBe(noderoles.length);
});

test('the rest waits for the canary; a canary that fails halts the commit with its reason', async () => {
  const { db, worker } = world;
  const good = await commitOf({ canary: 1 });
  const runs = await worker.claim();
  expect(runs).toHaveLength(1);
  await worker.succeed(runs[0]);
  const rest = await worker.claim();
  expect(rest).toHaveLength(3);
  for (const run of rest) await worker.succeed(run);
  await thorough();
  const { rows } = await sql<{
    done: boolean;
  }>`select finished_at is not null as done from snapshot where id = ${good.snapshot}`.execute(db);
  expect(rows).toEqual([{ done: true }]);
  const bad = await commitOf({ canary: 1 }, await seedNodes(db, 3, 'more'));
  await worker.fail((await worker.claim())[0]);
  expect(await worker.claim()).toEqual([]);
  const { rows: halted } = await sql<{
    halted_reason: string;
  }>`select halted_reason from snapshot where id = ${bad.snapshot}`.execute(db);
  expect(halted[0]?.halted_reason).toContain('the canary failed');
  await resumeDeployment(db, { deploymentId: await system(), actor: 'anna' });
  expect(await worker.finish()).toHaveLength(2);
});

test('a commit stops after so many failures and says which was first', async () => {
  const { db, worker } = world;
  const { snapshot } = await commitOf({ rolling: 1, stop: 2 });
  await worker.fail((await worker.claim())[0]);
  await worker.fail((await worker.claim())[0]);
  expect(await worker.claim()).toEqual([]);
  const { rows } = await sql<{
    halted_reason: string;
  }>`select halted_reason from snapshot where id = ${snapshot}`.execute(db);
  expect(rows[0]?.halted_reason).toMatch(/^stopped after 2 failures; first: a on/);
});
