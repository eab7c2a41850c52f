import {
  planSnapshot,
  readSnapshot,
  setDeploymentData,
  addDeploymentRole,
  type Db,
} from '@hostwright/engine';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  ACTOR,
  addDeployment,
  addNodes,
  deploy,
  importRoles,
  makeActive,
  propose,
  seeNoderoles,
} from './fixture.ts';
import { refusalOf, useShop } from './shop.ts';

let db: Db;
let shop: number;
const { bind, commit, unbind } = useShop((world) => {
  ({ db, shop } = world);
});

describe('a commit', () => {
  test('makes noderoles with parents, cohorts, counters and states', async () => {
    const { plan } = await deploy(db, shop, ['web@n1', 'late@n1']);
    expect(plan.pulledIn.map((pulled) => pulled.role)).toEqual(['base', 'dns']);
    expect(await seeNoderoles(db)).toMatchObject({
      'base@n1': { state: 'todo', pending: 0, cohort: 0, parents: [] },
      'dns@n1': { state: 'todo', pending: 0, cohort: 0, parents: [] },
      'late@n1': { state: 'todo', pending: 0, cohort: 1, parents: ['base@n1~'] },
      'web@n1': { state: 'blocked', pending: 2, cohort: 1, parents: ['base@n1', 'dns@n1'] },
    });
  });

  test('under active parents what is new may start at once', async () => {
    await deploy(db, shop, ['web@n1']);
    await makeActive(db, ['base@n1', 'dns@n1', 'web@n1']);
    await deploy(db, shop, ['web@n2']);
    expect(await seeNoderoles(db)).toMatchObject({
      'base@n2': { state: 'todo' },
      'web@n1': { state: 'active' },
      'web@n2': { state: 'blocked', pending: 1, parents: ['base@n2', 'dns@n1'] },
    });
  });

  test('finds a parent in a deployment above', async () => {
    const part = await addDeployment(db, 'part', shop);
    await deploy(db, shop, ['dns@n3']);
    await makeActive(db, ['dns@n3']);
    await deploy(db, part.id, ['web@n1']);
    expect((await seeNoderoles(db))['web@n1']).toMatchObject({
      parents: ['base@n1', 'dns@n3'],
      pending: 1,
      cohort: 1,
    });
  });

  test('takes its nodes into the deployment, but never the admin node', async () => {
    await importRoles(db, [{ name: 'svc', flags: ['service'] }], { name: 'more' });
    await addNodes(db, ['boss'], { admin: true });
    await deploy(db, shop, ['dns@n1', 'svc@boss']);
    const { rows } = await sql<{
      name: string;
    }>`select name from node where deployment_id = ${shop}`.execute(db);
    expect(rows.map((row) => row.name)).toEqual(['n1']);
  });

  test('that would change nothing is refused and makes no revision', async () => {
    const { id } = await propose(db, shop);
    await expect(commit(id)).rejects.toMatchObject({ code: 'nothing_to_commit' });
    expect(await readSnapshot(db, id)).toMatchObject({ state: 'proposed', revision: 1 });
    await bind(id, ['web@n1']);
    await commit(id);
    const again = await propose(db, shop);
    await setDeploymentData(db, { snapshotId: again.id, actor: ACTOR, data: { port: 81 } });
    await setDeploymentData(db, { snapshotId: again.id, actor: ACTOR, data: {} });
    await expect(commit(again.id)).rejects.toMatchObject({ code: 'nothing_to_commit' });
  });

  test('of data that no noderole reads yet is a change all the same', async () => {
    const { id } = await propose(db, shop);
    await setDeploymentData(db, { snapshotId: id, actor: ACTOR, data: { port: 81 } });
    expect((await commit(id)).snapshot).toMatchObject({ state: 'committed', revision: 1 });
  });

  test('of one snapshot twice at once: exactly one wins, the other reads who did', async () => {
    const { id } = await propose(db, shop);
    await bind(id, ['web@n1', 'web@n2']);
    const results = await Promise.allSettled([commit(id), commit(id), commit(id)]);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') {
        expect(result.reason).toMatchObject({ code: 'conflict' });
        expect(String(result.reason)).toMatch(/is committed \(by anna\)/);
      }
    expect(Object.keys(await seeNoderoles(db))).toHaveLength(5);
  });

  test('race C14: a cluster grows above while those below lean on it: one graph, whoever came first', async () => {
    await deploy(db, shop, ['dns@n1', 'etcd@n1']);
    await addNodes(db, ['m0', 'm1', 'm2']);
    const parts = await Promise.all(
      ['p0', 'p1', 'p2'].map((name) => addDeployment(db, name, shop)),
    );
    const grow = await propose(db, shop);
    await bind(grow.id, ['etcd@n2']);
    const proposals = await Promise.all(parts.map((part) => propose(db, part.id)));
    await Promise.all(
      proposals.map((proposal, index) => bind(proposal.id, [`web@m${index}`, `api@m${index}`])),
    );
    const results = await Promise.allSettled(
      [...proposals, grow].map((proposal) => commit(proposal.id)),
    );
    expect(results.filter((result) => result.status === 'rejected')).toEqual([]);
    const seen = await seeNoderoles(db);
    for (const [name, noderole] of Object.entries(seen)) {
      const above = noderole.parents.map((parent) => seen[parent]?.cohort ?? 0);
      expect([name, noderole.cohort]).toEqual([
        name,
        above.length === 0 ? 0 : Math.max(...above) + 1,
      ]);
      expect([name, noderole.pending]).toEqual([name, noderole.parents.length]);
    }
    for (const index of [0, 1, 2]) {
      expect(seen[`api@m${index}`]?.parents).toEqual(['etcd@n1', 'etcd@n2']);
      expect(seen[`web@m${index}`]?.parents).toEqual([`base@m${index}`, 'dns@n1']);
    }
  });

  test('that is refused leaves nothing behind and says every reason', async () => {
    const other = await addDeployment(db, 'other');
    const mine = await propose(db, shop);
    const theirs = await propose(db, other.id);
    await bind(mine.id, ['dns@n1', 'dns@n2']);
    await bind(theirs.id, ['dns@n1', 'dns@n2']);
    await commit(theirs.id);
    const error = await refusalOf(commit(mine.id));
    expect(error.code).toBe('refused');
    expect(error.refusals.map((refusal) => refusal.code).sort()).toEqual([
      'bound_elsewhere',
      'bound_elsewhere',
      'node_elsewhere',
      'node_elsewhere',
    ]);
    expect((await readSnapshot(db, mine.id)).state).toBe('proposed');
    expect(Object.keys(await seeNoderoles(db))).toEqual(['dns@n1', 'dns@n2']);
  });

  test('numbers out of range are refused by field', async () => {
    const { id } = await propose(db, shop);
    const error = await refusalOf(
      commit(id, { canary: 0, rollingLimit: 1.5, stopAfterFailures: -3 }),
    );
    expect(error.refusals.map((refusal) => refusal.path)).toEqual([
      'rollingLimit',
      'canary',
      'stopAfterFailures',
    ]);
  });
});

describe('by plan hash', () => {
  const planned = async (pairs: readonly string[]) => {
    const { id } = await propose(db, shop);
    await bind(id, pairs);
    return planSnapshot(db, id);
  };
  const movedBy = async (plan: { snapshotId: number; hash: string }) => {
    const error = await refusalOf(commit(plan.snapshotId, { planHash: plan.hash }));
    expect(error.code).toBe('plan_moved');
    return error.refusals.map((refusal) => refusal.path);
  };

  test('a plan that holds is carried out, and is the same read twice', async () => {
    const plan = await planned(['web@n1']);
    expect((await planSnapshot(db, plan.snapshotId)).hash).toBe(plan.hash);
    const { snapshot } = await commit(plan.snapshotId, { planHash: plan.hash });
    expect(snapshot.planHash).toBe(plan.hash);
  });

  test('aliveness, states and other nodes do not move it', async () => {
    const plan = await planned(['web@n1']);
    await sql`update node set alive = true, boot_epoch = 5`.execute(db);
    await sql`update node set plan_revision = plan_revision + 1 where name = 'n2'`.execute(db);
    const other = await addDeployment(db, 'other');
    await deploy(db, other.id, ['dns@n3']);
    await makeActive(db, ['dns@n3']);
    expect((await planSnapshot(db, plan.snapshotId)).hash).toBe(plan.hash);
    await commit(plan.snapshotId, { planHash: plan.hash });
  });

  test('the proposal was edited', async () => {
    const plan = await planned(['web@n1']);
    await addDeploymentRole(db, {
      snapshotId: plan.snapshotId,
      actor: ACTOR,
      role: 'web',
      data: { port: 1 },
    });
    expect(await movedBy(plan)).toEqual(['proposal shop']);
  });

  test('what is known of a node it touches has changed', async () => {
    const plan = await planned(['web@n1']);
    await sql`update node set plan_revision = plan_revision + 1 where name = 'n1'`.execute(db);
    expect(await movedBy(plan)).toEqual(['node n1']);
  });

  test('a role was imported anew', async () => {
    const plan = await planned(['late@n1']);
    await importRoles(db, [
      { name: 'base', flags: ['implicit'] },
      { name: 'dns' },
      { name: 'web', requires: ['base', 'dns'], attribs: [{ name: 'port', default: 80 }] },
      { name: 'etcd', flags: ['cluster'] },
      { name: 'api', requires: ['etcd'] },
      { name: 'wipe', flags: ['destructive'], attribs: [{ name: 'layout' }] },
      { name: 'late', after: ['base'], priority: 3 },
    ]);
    expect(await movedBy(plan)).toEqual(['role late']);
  });

  test('something else was bound to the same node, or what it leans on has moved', async () => {
    const site = await addDeployment(db, 'site');
    await sql`update deployment set parent_id = ${site.id} where id = ${shop}`.execute(db);
    await deploy(db, site.id, ['dns@n3']);
    const plan = await planned(['web@n1']);
    const { id } = await propose(db, site.id);
    await unbind(id, ['dns@n3']);
    await bind(id, ['dns@n2', 'late@n1']);
    await commit(id);
    expect(await movedBy(plan)).toEqual([
      'bound elsewhere n1',
      'leans on dns@n2',
      'leans on dns@n3',
    ]);
  });

  test('data of a deployment above has changed', async () => {
    const site = await addDeployment(db, 'site');
    await sql`update deployment set parent_id = ${site.id} where id = ${shop}`.execute(db);
    const plan = await planned(['web@n1']);
    const { id } = await propose(db, site.id);
    await setDeploymentData(db, { snapshotId: id, actor: ACTOR, data: { port: 81 } });
    await commit(id);
    expect(await movedBy(plan)).toEqual(['deployment site']);
  });

  test('a hash nobody has seen is told so', async () => {
    const plan = await planned(['web@n1']);
    await expect(commit(plan.snapshotId, { planHash: 'nonsense' })).rejects.toThrow(
      /no plan of this snapshot has this hash/,
    );
  });

  test('a committed snapshot has no plan', async () => {
    const { snapshot } = await deploy(db, shop, ['dns@n1']);
    expect((await refusalOf(planSnapshot(db, snapshot.id))).code).toBe('conflict');
  });
});
