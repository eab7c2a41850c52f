/**
 * Any sequence of edits, commits, discards, recalls and rollbacks of two deployments, one below the
 * other: after each commit the noderoles are exactly the bindings, every edge and counter is right,
 * and history tells what was.
 */
import { HostwrightError } from '@hostwright/core';
import {
  bindRoles,
  commitSnapshot,
  diffSnapshots,
  discardSnapshot,
  listSnapshots,
  planSnapshot,
  proposeSnapshot,
  recallSnapshot,
  rollbackDeployment,
  unbindRoles,
  type Db,
} from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ACTOR,
  addDeployment,
  addNodes,
  clear,
  importRoles,
  makeActive,
  seeNoderoles,
} from './fixture.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterAll(() => database.close());

const ROLES = [
  { name: 'base', flags: ['implicit'] },
  { name: 'dns' },
  { name: 'etcd', flags: ['cluster'], requires: ['base'] },
  { name: 'web', requires: ['base', 'dns'] },
  { name: 'api', requires: ['etcd'], after: ['web'] },
  { name: 'shy', conflicts: ['web'] },
];
const NODES = ['n1', 'n2', 'n3'];

type Step =
  | {
      readonly do: 'bind' | 'unbind';
      readonly role: string;
      readonly node: string;
      readonly at: number;
    }
  | { readonly do: 'commit' | 'discard' | 'recall' | 'rollback' | 'run'; readonly at: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('bind' as const),
      role: fc.constantFrom(...ROLES.map((role) => role.name)),
      node: fc.constantFrom(...NODES),
      at: fc.integer({ min: 0, max: 1 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('unbind' as const),
      role: fc.constantFrom(...ROLES.map((role) => role.name)),
      node: fc.constantFrom(...NODES),
      at: fc.integer({ min: 0, max: 1 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('commit' as const),
      at: fc.integer({ min: 0, max: 1 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'discard' as const,
        'recall' as const,
        'rollback' as const,
        'run' as const,
      ),
      at: fc.integer({ min: 0, max: 1 }),
    }),
  },
);

/** Expected refusals are part of the game; anything else is a fault. */
const allow = async (work: Promise<unknown>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof HostwrightError) || error.code === 'internal') throw error;
  }
};

const proposalOf = async (deploymentId: number): Promise<number> => {
  const [newest] = await listSnapshots(db, { deploymentId, limit: 1 });
  return newest?.state === 'proposed'
    ? newest.id
    : (await proposeSnapshot(db, { deploymentId, actor: ACTOR })).id;
};

/** One todo noderole becomes active, as a run would make it. */
const runOne = async (): Promise<void> => {
  const [name] =
    Object.entries(await seeNoderoles(db)).find(([, noderole]) => noderole.state === 'todo') ?? [];
  if (name !== undefined) await makeActive(db, [name]);
};

const carryOut = async (one: Step, deployments: readonly number[]): Promise<void> => {
  const deploymentId = deployments[one.at] ?? 0;
  const at = { actor: ACTOR, deploymentId };
  if (one.do === 'run') return runOne();
  if (one.do === 'rollback') return allow(rollbackDeployment(db, { ...at, toRevision: 1 }));
  if (one.do === 'recall') {
    const committed = (await listSnapshots(db, { deploymentId })).find(
      (snapshot) => snapshot.state === 'committed',
    );
    return committed === undefined
      ? undefined
      : allow(recallSnapshot(db, { snapshotId: committed.id, actor: ACTOR }));
  }
  const snapshotId = await proposalOf(deploymentId);
  if (one.do === 'discard') return allow(discardSnapshot(db, { snapshotId, actor: ACTOR }));
  if (one.do === 'commit') {
    const plan = await planSnapshot(db, snapshotId);
    return allow(commitSnapshot(db, { snapshotId, actor: ACTOR, planHash: plan.hash }));
  }
  if (one.do !== 'bind' && one.do !== 'unbind') return;
  const bindings = [{ role: one.role, node: one.node }];
  if (one.do === 'bind') await bindRoles(db, { snapshotId, actor: ACTOR, bindings });
  else await unbindRoles(db, { snapshotId, actor: ACTOR, bindings });
};

const checkGraph = async (): Promise<void> => {
  const seen = await seeNoderoles(db);
  for (const [name, noderole] of Object.entries(seen)) {
    const hard = noderole.parents.filter((parent) => !parent.endsWith('~'));
    const waiting = hard.filter((parent) => seen[parent]?.state !== 'active');
    expect([name, noderole.pending], 'counter of parents').toEqual([name, waiting.length]);
    if (noderole.state === 'todo') expect([name, waiting]).toEqual([name, []]);
    if (noderole.state === 'blocked') expect(waiting.length, `${name} blocked`).toBeGreaterThan(0);
    for (const parent of noderole.parents)
      expect(
        seen[parent.replace('~', '')]?.cohort ?? -1,
        `cohort of ${parent} under ${name}`,
      ).toBeLessThan(noderole.cohort);
  }
};

/** Right after a commit of it: noderoles of the deployment are what its snapshot holds. */
const checkContent = async (deploymentId: number): Promise<void> => {
  const { rows: wanted } = await sql<{ name: string }>`
    select r.name || '@' || n.name as name from binding b join role r on r.id = b.role_id join node n on n.id = b.node_id
    where b.deployment_id = ${deploymentId} and b.removed_revision is null order by 1`.execute(db);
  const { rows: standing } = await sql<{ name: string }>`
    select r.name || '@' || n.name as name from noderole b join role r on r.id = b.role_id join node n on n.id = b.node_id
    where b.deployment_id = ${deploymentId} and not b.removing order by 1`.execute(db);
  expect(standing).toEqual(wanted);
};

const checkHistory = async (deploymentId: number): Promise<void> => {
  const snapshots = await listSnapshots(db, { deploymentId });
  expect(snapshots.filter((snapshot) => snapshot.state === 'committed').length).toBeLessThanOrEqual(
    1,
  );
  expect(snapshots.filter((snapshot) => snapshot.state === 'proposed').length).toBeLessThanOrEqual(
    1,
  );
  const [newest] = snapshots;
  if (newest === undefined) return;
  const whole = await diffSnapshots(db, { deploymentId, from: 0, to: newest.revision });
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from binding where deployment_id = ${deploymentId} and removed_revision is null`.execute(
    db,
  );
  expect(whole.bindings.added.length).toBe(rows[0]?.count);
  expect(whole.bindings.removed).toEqual([]);
};

test('whatever is done in whatever order, what stands is what was committed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      await clear(db);
      await importRoles(db, ROLES);
      await addNodes(db, NODES);
      const site = await addDeployment(db, 'site');
      const shop = await addDeployment(db, 'shop', site.id);
      const deployments = [site.id, shop.id];
      for (const one of steps) {
        await carryOut(one, deployments);
        await checkGraph();
        const deploymentId = deployments[one.at] ?? 0;
        const [newest] = await listSnapshots(db, { deploymentId, limit: 1 });
        if (one.do === 'commit' && newest?.state === 'committed') await checkContent(deploymentId);
        await checkHistory(deploymentId);
      }
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 12) },
  );
});
