import type { JsonObject } from '@hostwright/core';
import { createTestDatabase, eventually } from '@hostwright/testkit';
import { noopJig } from '@hostwright/jigs';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  bindRoles,
  commitSnapshot,
  deleteNode,
  explainNode,
  findNode,
  grantConsent,
  reportHello,
  reportInventory,
  setBindingData,
  SILENT,
  startWorker,
  transaction,
  type Db,
} from '@hostwright/engine';
import { addDeployment, addNodes, deploy, importRoles, propose } from '../plan/fixture.ts';

const stateOf = async (db: Db, role: string) => {
  const { rows } = await sql<{ state: string }>`
    select nr.state from noderole nr join role r on r.id = nr.role_id where r.name = ${role}`.execute(
    db,
  );
  return rows[0]?.state;
};

test('a fact that a role wants re-runs it when it really changed; volatile and unwanted facts never do', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await importRoles(
    db,
    [
      { name: 'sized', wants: ['cpus', 'load'] },
      { name: 'plain' },
      { name: 'learn', flags: ['discovery'] },
    ],
    {
      attribs: [
        { name: 'cpus', path: 'cpu/count' },
        { name: 'load', path: 'load', volatile: true },
      ],
    },
  );
  const [nodeId = 0] = await addNodes(db, ['n1']);
  const { id } = await addDeployment(db, 'shop');
  await deploy(db, id, ['sized@n1', 'plain@n1']);
  expect(await explainNode(db, 'n1')).toMatchObject({ cause: { kind: 'never_seen' } });
  await reportHello(db, { nodeId, bootId: 'one' });
  const report = (facts: object) => reportInventory(db, { nodeId, bootId: 'one', facts });
  await report({ cpu: { count: 4, model: 'x' }, load: 1 });
  const worker = await startWorker({ database, jigs: [noopJig], log: SILENT, name: 'w1' });
  await eventually(
    async () =>
      (await stateOf(db, 'sized')) === 'active' &&
      (await stateOf(db, 'plain')) === 'active' &&
      (await stateOf(db, 'learn')) === 'active',
  );
  await worker.stop();
  expect(await report({ cpu: { count: 4, model: 'y' }, load: 2 })).toMatchObject({
    changed: true,
    reconsidered: 0,
  });
  expect(await stateOf(db, 'sized')).toBe('active');
  expect(await report({ cpu: { count: 8, model: 'y' } })).toMatchObject({
    changed: true,
    reconsidered: 1,
  });
  expect([
    await stateOf(db, 'sized'),
    await stateOf(db, 'plain'),
    await stateOf(db, 'learn'),
  ]).toEqual(['todo', 'active', 'active']);
  // a new boot: what is known of the machine is learned again, nothing else runs
  await reportHello(db, { nodeId, bootId: 'two' });
  expect([await stateOf(db, 'plain'), await stateOf(db, 'learn')]).toEqual(['active', 'todo']);
});

test('what a destructive role did to the disks is no drift, other data is until it is put back; before it runs, other disks void the consent', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const wipe = {
    name: 'wipe',
    flags: ['destructive'],
    wants: ['disks'],
    attribs: [{ name: 'layout' }],
  };
  await importRoles(db, [wipe], { attribs: [{ name: 'disks', path: 'disks' }] });
  const [nodeId = 0] = await addNodes(db, ['n1']);
  const { id } = await addDeployment(db, 'shop');
  await reportHello(db, { nodeId, bootId: 'one' });
  const report = (holds: string) =>
    reportInventory(db, { nodeId, bootId: 'one', facts: { disks: [{ name: 'sda', holds }] } });
  await report('nothing');
  await deploy(db, id, ['wipe@n1']);
  const see = async () => {
    const { rows } = await sql<{ id: number; state: string; drifted: boolean; holds: string[] }>`
      select id, state, drifted, holds from noderole`.execute(db);
    return rows[0];
  };
  const consent = async () =>
    grantConsent(db, { noderoleId: (await see())?.id ?? 0, disks: ['sda'], actor: 'anna' });
  await consent();
  await report("somebody else's data");
  const worker = await startWorker({ database, jigs: [noopJig], log: SILENT, name: 'w1' });
  await eventually(async () => (await see())?.holds.includes('consent') === true);
  await consent();
  await eventually(async () => (await see())?.state === 'active');
  await worker.stop();
  await report('a new system');
  expect(await see()).toMatchObject({ state: 'active', drifted: false });
  // other data is drift, whatever the machine reports meanwhile, until it is put back
  const set = async (data: JsonObject) => {
    const { id: snapshotId } = await propose(db, id);
    await setBindingData(db, { snapshotId, actor: 'anna', role: 'wipe', node: 'n1', data });
    await commitSnapshot(db, { snapshotId, actor: 'anna' });
  };
  await set({ layout: 'raid' });
  expect(await see()).toMatchObject({ state: 'active', drifted: true });
  await report('more data');
  expect(await see()).toMatchObject({ state: 'active', drifted: true });
  await set({});
  expect(await see()).toMatchObject({ state: 'active', drifted: false });
});

test('a node that has work is deleted only when it is abandoned, and then its live run is fenced', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await importRoles(db, [{ name: 'web' }, { name: 'db' }]);
  const [nodeId = 0, otherId = 0] = await addNodes(db, ['n1', 'n2']);
  const { id } = await addDeployment(db, 'shop');
  await deploy(db, id, ['web@n1', 'db@n1', 'web@n2']);
  expect(await deleteNode(db, { node: 'n1', actor: 'anna' })).toMatchObject({
    ok: false,
    refusals: [
      { code: 'in_use', message: 'db is bound to it in shop (todo)' },
      { code: 'in_use', message: 'web is bound to it in shop (todo)' },
    ],
  });
  await sql`insert into worker (name, lease_until) values ('w', now() + interval '1 hour')`.execute(
    db,
  );
  await sql`
    insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, status, worker_id, deadline_at, started_at)
    select id, node_id, role_id, deployment_id, lane, 'noop', 'running', 1, now() + interval '1 hour', now() from noderole where node_id = ${nodeId} limit 1`.execute(
    db,
  );
  await sql`update noderole set state = 'transition', run_id = run.id from run where run.noderole_id = noderole.id`.execute(
    db,
  );
  expect(await deleteNode(db, { node: 'n1', abandon: true, actor: 'anna' })).toEqual({
    ok: true,
    abandoned: 2,
  });
  expect(await findNode(db, 'n1')).toBeUndefined();
  const { rows } = await sql<{ live: number; noderoles: number; bindings: number }>`
    select (select count(*) from run where status in ('running', 'waiting', 'cancelling')) as live,
      (select count(*) from noderole where node_id = ${nodeId}) as noderoles,
      (select count(*) from binding where node_id = ${nodeId} and removed_revision is null) as bindings`.execute(
    db,
  );
  expect(rows[0]).toEqual({ live: 0, noderoles: 0, bindings: 0 });
  const { rows: rest } = await sql<{ node_id: number }>`select node_id from noderole`.execute(db);
  expect(rest).toEqual([{ node_id: otherId }]);
  // the next proposal holds what is left, and nothing of the dead node
  const answer = await deploy(db, id, ['db@n2']);
  expect(answer.plan.teardown).toEqual([]);
});

test('a node deleted while a commit gives it work gets none of it', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await importRoles(db, [{ name: 'web' }]);
  const [nodeId = 0] = await addNodes(db, ['n1', 'n2']);
  const { id } = await addDeployment(db, 'shop');
  const proposal = await propose(db, id);
  await bindRoles(db, {
    snapshotId: proposal.id,
    bindings: [
      { role: 'web', node: 'n1' },
      { role: 'web', node: 'n2' },
    ],
    actor: 'anna',
  });
  await sql`insert into node_presence (node_id, last_seen_at) values (${nodeId}, now())`.execute(
    db,
  );
  const waiters = async () =>
    (
      await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        db,
      )
    ).rows.length;
  const { deleting, committing } = await transaction(db, async (tx) => {
    // the deletion is nearly done and waits here
    await sql`select from node_presence where node_id = ${nodeId} for update`.execute(tx);
    const deleted = deleteNode(db, { node: 'n1', abandon: true, actor: 'anna' });
    await eventually(async () => (await waiters()) === 1);
    const committed = commitSnapshot(db, { snapshotId: proposal.id, actor: 'anna' });
    await eventually(async () => (await waiters()) === 2);
    return { deleting: deleted, committing: committed };
  });
  expect(await deleting).toMatchObject({ ok: true });
  await committing;
  const { rows } = await sql<{ node: string }>`
    select n.name as node from noderole w join node n on n.id = w.node_id`.execute(db);
  expect(rows).toEqual([{ node: 'n2' }]);
});
