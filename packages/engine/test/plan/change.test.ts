import { planSnapshot, setBindingData, setDeploymentData, type Db } from '@hostwright/engine';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { ACTOR, addDeployment, deploy, makeActive, propose, seeNoderoles } from './fixture.ts';
import { refusalOf, useShop } from './shop.ts';

let db: Db;
let shop: number;
const { bind, commit, states, unbind } = useShop((world) => {
  ({ db, shop } = world);
});

describe('changes to what stands', () => {
  test('changed data re-runs exactly those whose inputs it changes', async () => {
    await deploy(db, shop, ['web@n1', 'web@n2', 'late@n1']);
    await makeActive(db, ['base@n1', 'base@n2', 'dns@n1', 'late@n1', 'web@n1', 'web@n2']);
    const { id } = await propose(db, shop);
    await setBindingData(db, {
      snapshotId: id,
      actor: ACTOR,
      role: 'web',
      node: 'n2',
      data: { port: 81 },
    });
    const plan = await planSnapshot(db, id);
    expect(plan.rerun.map((item) => item.node)).toEqual(['n2']);
    expect(plan.change).toMatchObject([{ node: 'n2', what: ['data'] }]);
    await commit(id, { planHash: plan.hash });
    expect(await states()).toMatchObject({
      'web@n1': 'active',
      'web@n2': 'todo',
      'late@n1': 'active',
    });
  });

  test('the same value from a stronger layer changes nothing', async () => {
    await deploy(db, shop, ['web@n1']);
    await makeActive(db, ['base@n1', 'dns@n1', 'web@n1']);
    const { id } = await propose(db, shop);
    await setDeploymentData(db, { snapshotId: id, actor: ACTOR, data: { port: 80 } });
    expect((await planSnapshot(db, id)).rerun).toEqual([]);
    await commit(id);
    expect((await states())['web@n1']).toBe('active');
  });

  test('data of a deployment reaches the noderoles of those below, and the plan says so', async () => {
    const part = await addDeployment(db, 'part', shop);
    await deploy(db, part.id, ['web@n1']);
    await makeActive(db, ['base@n1', 'dns@n1', 'web@n1']);
    const { id } = await propose(db, shop);
    await setDeploymentData(db, { snapshotId: id, actor: ACTOR, data: { port: 90 } });
    expect((await planSnapshot(db, id)).rerun).toMatchObject([{ role: 'web', node: 'n1' }]);
    await commit(id);
    expect(await states()).toMatchObject({ 'base@n1': 'active', 'web@n1': 'todo' });
  });

  test('a destructive noderole is never re-run: it is marked drifted, and no longer when put back', async () => {
    await deploy(db, shop, ['wipe@n1']);
    await makeActive(db, ['wipe@n1']);
    const set = async (layout: string) => {
      const { id } = await propose(db, shop);
      await setBindingData(db, {
        snapshotId: id,
        actor: ACTOR,
        role: 'wipe',
        node: 'n1',
        data: layout === '' ? {} : { layout },
      });
      const { plan } = await commit(id);
      return plan;
    };
    expect((await set('raid')).destructive).toMatchObject([
      { role: 'wipe', effect: 'stays as it is and is marked drifted' },
    ]);
    expect((await seeNoderoles(db))['wipe@n1']).toMatchObject({ state: 'active', drifted: true });
    await set('');
    expect((await seeNoderoles(db))['wipe@n1']).toMatchObject({ state: 'active', drifted: false });
  });

  test('a consent given with the commit names the inputs and the disks', async () => {
    await sql`update node set discovery = '{"disks": [{"name": "sda", "serial": "S1", "size_bytes": 1000}]}' where name = 'n1'`.execute(
      db,
    );
    const { id } = await propose(db, shop);
    await bind(id, ['wipe@n1']);
    const plan = await planSnapshot(db, id);
    expect(plan.destructive).toMatchObject([
      { node: 'n1', disks: [{ name: 'sda', serial: 'S1', bytes: 1000 }] },
    ]);
    await commit(id, {
      planHash: plan.hash,
      consent: [{ role: 'wipe', node: 'n1', disks: ['S1'] }],
    });
    const { rows } = await sql`select disks, plan_hash, granted_by from consent`.execute(db);
    expect(rows).toEqual([{ disks: ['S1'], plan_hash: plan.hash, granted_by: ACTOR }]);
  });

  test('leave that a commit did not give can be given by the next, and is asked for until then', async () => {
    await deploy(db, shop, ['wipe@n1']);
    const { id } = await propose(db, shop);
    expect((await planSnapshot(db, id)).destructive).toMatchObject([
      { role: 'wipe', node: 'n1', effect: 'runs once consent is given' },
    ]);
    await commit(id, { consent: [{ role: 'wipe', node: 'n1', disks: ['S1'] }] });
    const { rows } = await sql`select disks, used_by_run from consent`.execute(db);
    expect(rows).toEqual([{ disks: ['S1'], used_by_run: null }]);
    const next = await propose(db, shop);
    expect((await planSnapshot(db, next.id)).destructive).toEqual([]);
  });

  test('leave for what the inputs were is none: the plan that changes them asks for it, and every one after', async () => {
    const consent = [{ role: 'wipe', node: 'n1', disks: ['S1'] }];
    const asked = [{ role: 'wipe', node: 'n1', effect: 'runs once consent is given' }];
    const first = await propose(db, shop);
    await bind(first.id, ['wipe@n1']);
    await commit(first.id, { consent });
    const setLayout = async (layout: string) => {
      const { id } = await propose(db, shop);
      const binding = { role: 'wipe', node: 'n1', data: { layout } };
      await setBindingData(db, { snapshotId: id, actor: ACTOR, ...binding });
      return { id, plan: await planSnapshot(db, id) };
    };
    const changing = await setLayout('raid');
    expect(changing.plan.destructive).toMatchObject(asked);
    await commit(changing.id);
    const unchanged = await propose(db, shop);
    expect((await planSnapshot(db, unchanged.id)).destructive).toMatchObject(asked);
    await commit(unchanged.id, { consent });
    const allowed = await propose(db, shop);
    expect((await planSnapshot(db, allowed.id)).destructive).toEqual([]);
    expect((await seeNoderoles(db))['wipe@n1']).toMatchObject({ state: 'todo', holds: [] });
  });

  test('leave for what failed, as why asks for it, has it tried again', async () => {
    await deploy(db, shop, ['wipe@n1']);
    await sql`update noderole set state = 'error', run_count = 1, failures = 1`.execute(db);
    const { id } = await propose(db, shop);
    await commit(id, { consent: [{ role: 'wipe', node: 'n1', disks: ['S1'] }] });
    expect((await seeNoderoles(db))['wipe@n1']).toMatchObject({ state: 'todo', holds: [] });
    const { rows } = await sql`select disks, used_by_run from consent`.execute(db);
    expect(rows).toEqual([{ disks: ['S1'], used_by_run: null }]);
  });

  test('a consent for what is not in the plan refuses the commit', async () => {
    const { id } = await propose(db, shop);
    await bind(id, ['dns@n1']);
    const error = await refusalOf(
      commit(id, { consent: [{ role: 'dns', node: 'n1', disks: [] }] }),
    );
    expect(error.refusals).toMatchObject([{ code: 'not_destructive', path: 'consent.0' }]);
    expect(await seeNoderoles(db)).toEqual({});
  });

  test('growing a cluster never blocks the active children of the old members', async () => {
    const part = await addDeployment(db, 'part', shop);
    await deploy(db, shop, ['etcd@n1', 'api@n1']);
    await deploy(db, part.id, ['api@n3']);
    await makeActive(db, ['etcd@n1', 'api@n1', 'api@n3']);
    await deploy(db, shop, ['etcd@n2']);
    expect(await seeNoderoles(db)).toMatchObject({
      'etcd@n2': { state: 'todo' },
      'api@n1': { state: 'active', parents: ['etcd@n1', 'etcd@n2'], pending: 1 },
      'api@n3': { state: 'active', parents: ['etcd@n1', 'etcd@n2'], pending: 1 },
    });
    await makeActive(db, ['etcd@n2']);
    expect((await seeNoderoles(db))['api@n3']).toMatchObject({ pending: 0 });
  });

  test('a cluster member leaves while another stays; the last one is held by its children', async () => {
    const part = await addDeployment(db, 'part', shop);
    await deploy(db, shop, ['etcd@n1', 'etcd@n2']);
    await deploy(db, part.id, ['api@n3']);
    const first = await propose(db, shop);
    await unbind(first.id, ['etcd@n1']);
    await commit(first.id);
    expect((await seeNoderoles(db))['api@n3']).toMatchObject({ parents: ['etcd@n2'], pending: 1 });
    const second = await propose(db, shop);
    await unbind(second.id, ['etcd@n2']);
    const error = await refusalOf(commit(second.id));
    expect(error.refusals).toMatchObject([
      { code: 'needed', message: expect.stringMatching(/api@n3 in part/) },
    ]);
  });

  test('unbound and never run: gone at once, with what only it required', async () => {
    await deploy(db, shop, ['web@n1', 'web@n2']);
    const { id } = await propose(db, shop);
    await unbind(id, ['web@n2']);
    const { plan } = await commit(id);
    expect(plan.teardown.map((item) => `${item.role}@${item.node} ${item.how}`).sort()).toEqual([
      'base@n2 forget',
      'web@n2 forget',
    ]);
    expect(Object.keys(await seeNoderoles(db))).toEqual(['base@n1', 'dns@n1', 'web@n1']);
  });

  test('a parent that moves is followed: edges, counters and order', async () => {
    await deploy(db, shop, ['dns@n3', 'web@n1']);
    await makeActive(db, ['dns@n3', 'base@n1', 'web@n1']);
    await deploy(db, shop, ['dns@n1']);
    expect((await seeNoderoles(db))['web@n1']).toMatchObject({
      parents: ['base@n1', 'dns@n1'],
      state: 'active',
      pending: 1,
    });
  });
});
