/** A machine that is given back once more, otherwise or not after all: what was asked last is done. */
import { randomUUID } from 'node:crypto';
import { sweepInstalls } from '@hostwright/boot';
import { needNode, reportHello } from '@hostwright/engine';
import { eventually } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { useReleases } from './release-world.ts';

const site = useReleases();
const {
  addMachine,
  carry,
  endTeardown,
  eraseData,
  erasures,
  giveBack,
  noderole,
  post,
  setAlive,
  why,
} = site;

test('a machine that was erased before is erased once more, by a consent of its own', async () => {
  await addMachine('m8');
  const first = await post('/nodes/m8/release', { erase: { disks: ['S1', 'S2'] } });
  expect(first.json).toMatchObject({ pending: [], erasing: [{ serial: 'S1' }, { serial: 'S2' }] });
  const { id } = await eventually(async () => noderole('m8', 'provisioner-erase'));
  await eventually(async () => (await noderole('m8', 'provisioner-erase')).state === 'transition');
  await post(`/noderoles/${id}/cancel`);
  await eventually(async () => (await noderole('m8', 'provisioner-erase')).state === 'error');
  await sweepInstalls(site.world.database.db);
  const node = await needNode(site.world.database.db, 'm8');
  await reportHello(site.world.database.db, { nodeId: node.id, bootId: randomUUID() });
  const moved = await site.world.ask('operator', {
    method: 'PATCH',
    url: '/nodes/m8',
    body: { deployment: 'system' },
  });
  expect(moved.status, moved.text).toBe(200);
  await giveBack('m8');
  await endTeardown('m8', { kind: 'succeeded' });
  await Promise.all([carry(), carry()]);
  await carry();
  expect(await erasures('m8')).toHaveLength(2);
  expect((await why('m8')).sentence).not.toContain('not erased');
});

test('what is asked of a second erasure is done, not what was asked of the first', async () => {
  await addMachine('m11');
  await setAlive('m11', false);
  await post('/nodes/m11/release', { erase: { disks: ['S1', 'S2'] } });
  expect(await eraseData('m11')).toMatchObject({ how: 'quick' });
  // before the first has begun, and once it has failed
  const full = { erase: { disks: ['S1', 'S2'], how: 'full' } };
  const again = await post('/nodes/m11/release', full);
  expect(again.json, again.text).toMatchObject({ erasing: [{ serial: 'S1' }, { serial: 'S2' }] });
  expect(await eraseData('m11')).toMatchObject({ how: 'full' });
  expect(await erasures('m11')).toHaveLength(1);
  await post('/nodes/m11/release', { erase: { disks: ['S1', 'S2'] } });
  await setAlive('m11', true);
  const { id } = await noderole('m11', 'provisioner-erase');
  await eventually(async () => (await noderole('m11', 'provisioner-erase')).state === 'transition');
  await post(`/noderoles/${id}/cancel`);
  await eventually(async () => (await noderole('m11', 'provisioner-erase')).state === 'error');
  await sweepInstalls(site.world.database.db);
  const node = await needNode(site.world.database.db, 'm11');
  await reportHello(site.world.database.db, { nodeId: node.id, bootId: randomUUID() });
  const third = await post('/nodes/m11/release', full);
  expect(third.json, third.text).toMatchObject({ erasing: [{ serial: 'S1' }, { serial: 'S2' }] });
  const install = await eventually(async () =>
    site.world.database.db
      .selectFrom('os_install')
      .select('plan')
      .where('node_id', '=', node.id)
      .where('phase', '<>', 'failed')
      .executeTakeFirst(),
  );
  expect(install.plan).toMatchObject({ kind: 'erase', os: 'erase-full' });
});

test('leave for a machine that is switched off is withdrawn by a release without erase, and by a binding', async () => {
  for (const node of ['m12', 'm13']) {
    await addMachine(node);
    await setAlive(node, false);
    const asked = await post(`/nodes/${node}/release`, { erase: { disks: ['S1', 'S2'] } });
    expect(asked.json, asked.text).toMatchObject({ erasing: [{ serial: 'S1' }, { serial: 'S2' }] });
    expect(await erasures(node)).toHaveLength(1);
  }
  await post('/nodes/m12/release');
  expect(await erasures('m12')).toEqual([]);
  await post('/deployments', { name: 'taken' });
  await site.world.ask('operator', {
    method: 'PATCH',
    url: '/nodes/m13',
    body: { deployment: 'system' },
  });
  const { json: snapshot } = await post('/deployments/taken/snapshots');
  await post(`/snapshots/${snapshot.id}/bind`, { bindings: [{ role: 'watched', node: 'm13' }] });
  const committed = await post(`/snapshots/${snapshot.id}/commit`);
  expect(committed.status, committed.text).toBe(200);
  expect(await erasures('m13')).toEqual([]);
  // where it is now, its old binding would keep every other machine from being erased
  await addMachine('m17');
  const other = await post('/nodes/m17/release', { erase: { disks: ['S1', 'S2'] } });
  expect(other.json, other.text).toMatchObject({ erasing: [{ serial: 'S1' }, { serial: 'S2' }] });
  expect(await noderole('m13', 'provisioner-erase')).toBeUndefined();
  // and whoever means it after all is not kept from it
  const again = await post('/nodes/m12/release', { erase: { disks: ['S1', 'S2'] } });
  expect(again.json, again.text).toMatchObject({ erasing: [{ serial: 'S1' }, { serial: 'S2' }] });
  expect(await erasures('m12')).toHaveLength(1);
});
