import { planSnapshot, recallSnapshot, addDeploymentRole, type Db } from '@hostwright/engine';
import { describe, expect, test } from 'vitest';
import { ACTOR, deploy, makeActive, propose, seeNoderoles } from './fixture.ts';
import { useShop } from './shop.ts';

let db: Db;
let shop: number;
const { bind, commit, states } = useShop((world) => {
  ({ db, shop } = world);
});

describe('rollout', () => {
  test('with a limit only so many nodes begin; the rest is held', async () => {
    const { id } = await propose(db, shop);
    await bind(id, ['dns@n1', 'dns@n2', 'dns@n3']);
    const { snapshot } = await commit(id, { rollingLimit: 1, stopAfterFailures: 2 });
    expect(snapshot).toMatchObject({ rollingLimit: 1, stopAfterFailures: 2, canary: null });
    const held = Object.values(await seeNoderoles(db)).map((noderole) => noderole.holds);
    expect(held).toEqual([[], ['rolling'], ['rolling']]);
  });

  test('a later commit takes over what the earlier one still held', async () => {
    const first = await propose(db, shop);
    await bind(first.id, ['dns@n1', 'dns@n2']);
    await commit(first.id, { canary: 1 });
    const second = await propose(db, shop);
    await bind(second.id, ['dns@n3']);
    await commit(second.id);
    for (const noderole of Object.values(await seeNoderoles(db)))
      expect(noderole.holds).toEqual([]);
  });
});

describe('recall', () => {
  test('what never ran is proposed again, what is active stays, and the content is a proposal', async () => {
    const { snapshot } = await deploy(db, shop, ['web@n1', 'dns@n1']);
    await makeActive(db, ['dns@n1']);
    const { recalled, proposal } = await recallSnapshot(db, {
      snapshotId: snapshot.id,
      actor: ACTOR,
    });
    expect(recalled.state).toBe('recalled');
    expect(proposal).toMatchObject({ state: 'proposed', revision: 2 });
    expect(await states()).toEqual({
      'base@n1': 'proposed',
      'dns@n1': 'active',
      'web@n1': 'proposed',
    });
    const plan = await planSnapshot(db, proposal.id);
    expect(plan.add.map((item) => item.role).sort()).toEqual(['base', 'web']);
    await commit(proposal.id, { planHash: plan.hash });
    expect(await seeNoderoles(db)).toMatchObject({
      'base@n1': { state: 'todo', pending: 0 },
      'web@n1': { state: 'blocked', pending: 1, parents: ['base@n1', 'dns@n1'] },
    });
  });

  test('what was to run again is held until the next commit', async () => {
    await deploy(db, shop, ['dns@n1', 'web@n1']);
    await makeActive(db, ['dns@n1', 'base@n1', 'web@n1']);
    const second = await propose(db, shop);
    await addDeploymentRole(db, {
      snapshotId: second.id,
      actor: ACTOR,
      role: 'web',
      data: { port: 1 },
    });
    await commit(second.id);
    const { proposal } = await recallSnapshot(db, { snapshotId: second.id, actor: ACTOR });
    expect((await seeNoderoles(db))['web@n1']).toMatchObject({ state: 'todo', holds: ['halted'] });
    await commit(proposal.id);
    expect((await seeNoderoles(db))['web@n1']).toMatchObject({ state: 'todo', holds: [] });
  });

  test('of anything but the committed snapshot is refused', async () => {
    const { snapshot } = await deploy(db, shop, ['dns@n1']);
    await propose(db, shop);
    await expect(recallSnapshot(db, { snapshotId: snapshot.id, actor: ACTOR })).rejects.toThrow(
      /a proposal already/,
    );
    await expect(recallSnapshot(db, { snapshotId: 999, actor: ACTOR })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('two at once: one recalls, the other is told', async () => {
    const { snapshot } = await deploy(db, shop, ['dns@n1']);
    const results = await Promise.allSettled(
      [1, 2].map(() => recallSnapshot(db, { snapshotId: snapshot.id, actor: ACTOR })),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });
});
