/** Releases that erase, beside what others do at the same time: each in its turn, by what holds when leave is given. */
import { proposeSnapshot } from '@hostwright/engine';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { useReleases } from './release-world.ts';

const site = useReleases();
const {
  addMachine,
  bind,
  carry,
  endTeardown,
  eraseData,
  erasures,
  giveBack,
  holdingCommits,
  noderole,
  openProposals,
  post,
  release,
  setAlive,
  why,
} = site;
beforeAll(async () => {
  await post('/deployments', { name: 'released' });
});

/** Leaves its noderole behind, without leave: the next erasure needs no plan, whose hash would tell of what moved. */
const eraseInVain = async (node: string): Promise<void> => {
  await setAlive(node, false);
  await post(`/nodes/${node}/release`, { erase: { disks: ['S1', 'S2'] } });
  await post(`/nodes/${node}/release`);
  await setAlive(node, true);
  await site.world.ask('operator', {
    method: 'PATCH',
    url: `/nodes/${node}`,
    body: { deployment: 'system' },
  });
};

test.each([
  ['m9', 'is bound again', 'in use'],
  ['m10', 'is asked for anew', 'full'],
])(
  '%s %s after the keeper has looked, before leave is given: none is given, and no proposal stays',
  async (node, _what, outcome) => {
    await addMachine(node);
    if (outcome === 'in use') await eraseInVain(node);
    await giveBack(node);
    await endTeardown(node, { kind: 'succeeded' });
    await holdingCommits(carry, (tx) =>
      outcome === 'in use'
        ? sql`
            insert into noderole (deployment_id, node_id, role_id, state, lane)
            select d.id, n.id, r.id, 'proposed', 'host' from deployment d, node n, role r
            where d.name = ${`of-${node}`} and n.name = ${node} and r.name = 'watched'`.execute(tx)
        : sql`
            update node_release set how = 'full', asked_at = now()
            where node_id = (select id from node where name = ${node})`.execute(tx),
    );
    expect(await erasures(node)).toEqual([]);
    expect(await openProposals()).toEqual([]);
    await carry();
    if (outcome === 'in use') {
      expect((await why(node)).sentence).toContain('not erased: it is in use again');
      expect(await erasures(node)).toEqual([]);
    } else expect(await eraseData(node)).toMatchObject({ how: 'full' });
  },
);

test('a machine that was taken into use again is not erased; a proposal of a person is waited for', async () => {
  await release('m6');
  await release('m7');
  await endTeardown('m6', { kind: 'succeeded' });
  await endTeardown('m7', { kind: 'succeeded' });
  await bind('again', 'm7');
  const { json: open } = await post('/deployments/released/snapshots');
  await carry();
  expect((await why('m7')).sentence).toContain('not erased: it is in use again: watched in again');
  expect((await why('m6')).sentence).toContain(
    'it waits: the deployment released has an open proposal of operator',
  );
  await site.world.ask('operator', { method: 'DELETE', url: `/snapshots/${open.id}` });
  await carry();
  expect(await erasures('m6')).toHaveLength(1);
  expect(await erasures('m7')).toEqual([]);
});

test('releases with erase at once are all taken: what cannot begin now is carried later', async () => {
  const nodes = ['m14', 'm15', 'm16'];
  for (const node of nodes) await addMachine(node);
  const asked = await Promise.all(
    nodes.map((node) => post(`/nodes/${node}/release`, { erase: { disks: ['S1', 'S2'] } })),
  );
  for (const { json, status, text } of asked) {
    expect(status, text).toBe(202);
    expect([...json.erasing, ...json.toErase]).toMatchObject([{ serial: 'S1' }, { serial: 'S2' }]);
  }
  await carry();
  for (const node of nodes) expect(await erasures(node)).toHaveLength(1);
});

test('a proposal that the keeper left behind is discarded even when nothing waits', async () => {
  const { rows } = await sql<{ id: number }>`
    select id from deployment where name = 'released'`.execute(site.world.database.db);
  await proposeSnapshot(site.world.database.db, {
    deploymentId: rows[0]?.id ?? 0,
    actor: 'the boot keeper',
  });
  await carry();
  expect(await openProposals()).toEqual([]);
});

test('a release whose machine moves under it leaves no proposal, nothing undone, and can be asked for again', async () => {
  await addMachine('m18');
  await bind('of-m18', 'm18');
  const ask = () => post('/nodes/m18/release', { erase: { disks: ['S1', 'S2'] } });
  const asked = await holdingCommits(ask, (tx) =>
    sql`update node set plan_revision = plan_revision + 1 where name = 'm18'`.execute(tx),
  );
  expect(asked.json).toMatchObject({ code: 'plan_moved' });
  expect(await openProposals('of-m18')).toEqual([]);
  expect(await noderole('m18', 'watched')).toMatchObject({ state: 'active', removing: false });
  await carry();
  expect(await erasures('m18')).toEqual([]);
  const again = await ask();
  expect(again.json, again.text).toMatchObject({ left: ['of-m18'], pending: ['watched'] });
});
