/** A release that erases, while roles have to be torn down first: one request, carried through or ended cleanly. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { carryReleases, sweepInstalls } from '@hostwright/boot';
import {
  explainAttribs,
  importBarclamp,
  lockTree,
  needNode,
  proposeSnapshot,
  reportHello,
  SILENT,
  startWorker,
  type Outcome,
  type Worker,
} from '@hostwright/engine';
import { createRoleProvidedJig, noopJig } from '@hostwright/jigs';
import { eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstalling, createWorld, type World } from './world.ts';

const BYTES = 8_000_000_000;
const DISKS = [
  { name: 'sda', serial: 'S1', size_bytes: BYTES, signatures: [] },
  { name: 'sdb', serial: 'S2', size_bytes: BYTES, signatures: [] },
];
const folder = mkdtempSync(join(tmpdir(), 'hostwright-release-'));
let world: World;
let worker: Worker;
let restarts = 0;
/** How the teardown on a node ends, once the test says so. */
const teardowns = new Map<string, PromiseWithResolvers<Outcome>>();
const teardownOf = (node: string): PromiseWithResolvers<Outcome> => {
  const known = teardowns.get(node) ?? Promise.withResolvers<Outcome>();
  teardowns.set(node, known);
  return known;
};

const post = (url: string, body?: unknown) => world.ask('operator', { method: 'POST', url, body });
const carry = () => carryReleases(world.database, SILENT);
const why = async (node: string): Promise<{ sentence: string; command: string | null }> =>
  (await world.ask('viewer', { url: `/nodes/${node}/why` })).json;
const noderole = async (node: string, role: string) =>
  (await world.ask('viewer', { url: `/noderoles?node=${node}&role=${role}` })).json.items[0];
const erasures = async (node: string) =>
  world.database.db
    .selectFrom('consent')
    .innerJoin('noderole', 'noderole.id', 'consent.noderole_id')
    .innerJoin('node', 'node.id', 'noderole.node_id')
    .innerJoin('role', 'role.id', 'noderole.role_id')
    .select(['consent.disks', 'consent.granted_by'])
    .where('node.name', '=', node)
    .where('role.name', '=', 'provisioner-erase')
    .execute();

const bind = async (deployment: string, node: string): Promise<void> => {
  await post('/deployments', { name: deployment });
  const { json: snapshot } = await post(`/deployments/${deployment}/snapshots`);
  const bound = await post(`/snapshots/${snapshot.id}/bind`, {
    bindings: [{ role: 'watched', node }],
  });
  expect(bound.json.refusals ?? [], bound.text).toEqual([]);
  const committed = await post(`/snapshots/${snapshot.id}/commit`);
  expect(committed.status, committed.text).toBe(200);
  await eventually(async () => (await noderole(node, 'watched'))?.state === 'active');
};

/** A machine that does its work, and is given back while its teardown has yet to end. */
const release = async (node: string): Promise<void> => {
  await addMachine(node);
  await giveBack(node);
};
const addMachine = async (node: string): Promise<void> => {
  const { json: made } = await post('/nodes', { name: node, bootenv: 'discovery' });
  await world.database.db
    .updateTable('node')
    .set({ discovery: JSON.stringify({ disks: DISKS }) })
    .where('id', '=', made.id)
    .execute();
  await reportHello(world.database.db, { nodeId: made.id, bootId: randomUUID() });
};
const giveBack = async (node: string): Promise<void> => {
  await bind(`of-${node}`, node);
  const asked = await post(`/nodes/${node}/release`, { erase: { disks: ['S1', 'sdb'] } });
  expect(asked.status, asked.text).toBe(202);
  expect(asked.json).toMatchObject({
    pending: ['watched'],
    erasing: [],
    toErase: [{ serial: 'S1' }, { serial: 'S2' }],
  });
};
const endTeardown = async (node: string, outcome: Outcome): Promise<void> => {
  teardownOf(node).resolve(outcome);
  const wanted = outcome.kind === 'succeeded' ? undefined : 'error';
  await eventually(async () => (await noderole(node, 'watched'))?.state === wanted);
};

beforeAll(async () => {
  world = await createWorld({});
  const { db } = world.database;
  for (const name of ['noop', 'role-provided', 'script'])
    await db.insertInto('jig').values({ name }).execute();
  mkdirSync(join(folder, 'watch'));
  writeFileSync(
    join(folder, 'watch/barclamp.yml'),
    `name: watch
version: 1.0.0
description: Watched by a monitoring of others
roles:
  - { name: watched, description: Known to the monitoring, jig: role-provided, teardown: true }
`,
  );
  const shipped = ['core', 'network', 'provisioner'].map((name) =>
    fileURLToPath(new URL(`../../../barclamps/${name}`, import.meta.url)),
  );
  for (const one of [...shipped, join(folder, 'watch')])
    await importBarclamp(db, { folder: one, actor: 'test' });
  const erase = createInstalling(world.database, () => restarts++);
  worker = await startWorker({
    database: world.database,
    log: SILENT,
    name: 'release',
    tickMs: 200,
    jigs: [
      noopJig,
      createRoleProvidedJig({
        find: async (_barclamp, role) =>
          role === 'watched'
            ? async (handle) =>
                handle.kind === 'teardown'
                  ? teardownOf(handle.node.name).promise
                  : { kind: 'succeeded' }
            : erase,
      }),
    ],
  });
});
afterAll(async () => {
  for (const { resolve } of teardowns.values()) resolve({ kind: 'succeeded' });
  await worker.stop();
  await world.stop();
  rmSync(folder, { recursive: true });
});

test('one request tears down, then erases what was named, once, whoever looks after it and after which crash', async () => {
  await release('m1');
  await carry();
  expect(await erasures('m1')).toEqual([]);
  expect((await why('m1')).sentence).toMatch(
    /watched.*; its disks S1, S2 are erased once its teardowns have ended, as operator asked$/,
  );
  await endTeardown('m1', { kind: 'succeeded' });
  // as one leaves it that was killed between proposing and committing
  const { json: deployment } = await post('/deployments', { name: 'released' });
  await proposeSnapshot(world.database.db, {
    deploymentId: deployment.id,
    actor: 'the boot keeper',
  });
  await Promise.all([carry(), carry()]);
  await carry();
  expect(await erasures('m1')).toEqual([{ disks: ['S1', 'S2'], granted_by: 'operator' }]);
  expect(await world.database.db.selectFrom('node_release').selectAll().execute()).toEqual([]);
  await eventually(async () => restarts === 1);
  expect(await world.database.db.selectFrom('os_install').select('phase').execute()).toHaveLength(
    1,
  );
});

test('a teardown that fails cancels the erasure, and its late success brings nothing back', async () => {
  await release('m2');
  await endTeardown('m2', {
    kind: 'failed',
    reason: 'the monitoring is away',
    retryable: false,
    blame: 'node',
  });
  await carry();
  expect((await why('m2')).sentence).toMatch(
    /the monitoring is away.*; its disks S1, S2 were not erased: the teardown of watched failed: the monitoring is away; nothing was erased$/,
  );
  const { rows: events } = await sql`
    select payload->>'state' as state from event where kind = 'node.erasure' and node_id = (select id from node where name = 'm2') order by id`.execute(
    world.database.db,
  );
  expect(events).toEqual([{ state: 'waiting' }, { state: 'ended' }]);
  teardowns.delete('m2');
  const { id } = await noderole('m2', 'watched');
  await post(`/noderoles/${id}/retry`);
  await endTeardown('m2', { kind: 'succeeded' });
  await carry();
  expect(await erasures('m2')).toEqual([]);
  expect(await why('m2')).toMatchObject({
    sentence: expect.stringMatching(/^m2 is released; its disks S1, S2 were not erased/),
    command: 'hostwright node release m2 --erase S1 --erase S2',
  });
  await sql`update node_release set how = 'full'`.execute(world.database.db);
  expect((await why('m2')).command).toMatch(/ --erase S2 --full$/);
});

test.each([
  ['m3', 'is gone', [DISKS[0]], 'S2 is gone'],
  [
    'm4',
    'was put in',
    [...DISKS, { ...DISKS[0], name: 'sdc', serial: 'S3' }],
    'sdc (S3) was not named',
  ],
  [
    'm5',
    'was exchanged',
    [DISKS[0], { ...DISKS[1], size_bytes: 1e12 }],
    'sdb (S2) has another size',
  ],
])(
  '%s: a disk %s since it was named: nothing is erased, and why says so',
  async (node, _how, disks, said) => {
    await release(node);
    await world.database.db
      .updateTable('node')
      .set({ discovery: JSON.stringify({ disks }) })
      .where('name', '=', node)
      .execute();
    await endTeardown(node, { kind: 'succeeded' });
    await carry();
    expect((await why(node)).sentence).toContain(
      `its disks are not those that were named: ${said}; nothing was erased`,
    );
    expect(await erasures(node)).toEqual([]);
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
  await world.ask('operator', { method: 'DELETE', url: `/snapshots/${open.id}` });
  await carry();
  expect(await erasures('m6')).toHaveLength(1);
  expect(await erasures('m7')).toEqual([]);
});

test('a machine that was erased before is erased once more, by a consent of its own', async () => {
  await addMachine('m8');
  const first = await post('/nodes/m8/release', { erase: { disks: ['S1', 'S2'] } });
  expect(first.json).toMatchObject({ pending: [], erasing: [{ serial: 'S1' }, { serial: 'S2' }] });
  const { id } = await eventually(async () => noderole('m8', 'provisioner-erase'));
  await eventually(async () => (await noderole('m8', 'provisioner-erase')).state === 'transition');
  await post(`/noderoles/${id}/cancel`);
  await eventually(async () => (await noderole('m8', 'provisioner-erase')).state === 'error');
  await sweepInstalls(world.database.db);
  const node = await needNode(world.database.db, 'm8');
  await reportHello(world.database.db, { nodeId: node.id, bootId: randomUUID() });
  const moved = await world.ask('operator', {
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

const setAlive = (node: string, alive: boolean) =>
  world.database.db.updateTable('node').set({ alive }).where('name', '=', node).execute();
const eraseData = async (node: string) => {
  const { id } = await noderole(node, 'provisioner-erase');
  return (await explainAttribs(world.database.db, { noderoleId: id })).attribs['erase'];
};
const openProposals = async () => {
  const { rows } = await sql`
    select s.created_by from snapshot s join deployment d on d.id = s.deployment_id
    where d.name = 'released' and s.state = 'proposed'`.execute(world.database.db);
  return rows;
};

/** Leaves its noderole behind, without leave: the next erasure needs no plan, whose hash would tell of what moved. */
const eraseInVain = async (node: string): Promise<void> => {
  await setAlive(node, false);
  await post(`/nodes/${node}/release`, { erase: { disks: ['S1', 'S2'] } });
  await post(`/nodes/${node}/release`);
  await setAlive(node, true);
  await world.ask('operator', {
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
    const { db } = world.database;
    const carried = await db.transaction().execute(async (tx) => {
      // the commit that gives the leave waits for this; all that it goes by has been read by then
      await lockTree(tx, 'alone');
      const carrying = carry();
      await eventually(async () => {
        const { rows } = await sql<{ waits: number }>`
          select count(*)::int as waits from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`.execute(
          db,
        );
        return (rows[0]?.waits ?? 0) > 0;
      });
      if (outcome === 'in use')
        await sql`
          insert into noderole (deployment_id, node_id, role_id, state, lane)
          select d.id, n.id, r.id, 'proposed', 'host' from deployment d, node n, role r
          where d.name = ${`of-${node}`} and n.name = ${node} and r.name = 'watched'`.execute(tx);
      else
        await sql`
          update node_release set how = 'full', asked_at = now() where node_id = (select id from node where name = ${node})`.execute(
          tx,
        );
      return { carrying };
    });
    await carried.carrying;
    expect(await erasures(node)).toEqual([]);
    expect(await openProposals()).toEqual([]);
    await carry();
    if (outcome === 'in use') {
      expect((await why(node)).sentence).toContain('not erased: it is in use again');
      expect(await erasures(node)).toEqual([]);
    } else expect(await eraseData(node)).toMatchObject({ how: 'full' });
  },
);

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
  await sweepInstalls(world.database.db);
  const node = await needNode(world.database.db, 'm11');
  await reportHello(world.database.db, { nodeId: node.id, bootId: randomUUID() });
  const third = await post('/nodes/m11/release', full);
  expect(third.json, third.text).toMatchObject({ erasing: [{ serial: 'S1' }, { serial: 'S2' }] });
  const install = await eventually(async () =>
    world.database.db
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
  await world.ask('operator', {
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
    select id from deployment where name = 'released'`.execute(world.database.db);
  await proposeSnapshot(world.database.db, {
    deploymentId: rows[0]?.id ?? 0,
    actor: 'the boot keeper',
  });
  await carry();
  expect(await openProposals()).toEqual([]);
});
