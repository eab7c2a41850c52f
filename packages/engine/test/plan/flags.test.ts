/** What each flag does when things are bound and planned; docs/reference/roles.md names these tests. */
import { ROLE_FLAGS } from '@hostwright/core';
import { readFileSync } from 'node:fs';
import { createNodes, explainBinding, planSnapshot, bindRoles, type Db } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  ACTOR,
  addDeployment,
  addNodes,
  asBinding,
  clear,
  deploy,
  importRoles,
  makeActive,
  propose,
  seeNoderoles,
} from './fixture.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterAll(() => database.close());
beforeEach(() => clear(db));

const bound = async (): Promise<string[]> => Object.keys(await seeNoderoles(db));

test('discovery: bound to every new node but the admin node, with what it requires', async () => {
  await importRoles(db, [
    { name: 'look', flags: ['discovery', 'implicit'], requires: ['join'] },
    { name: 'join', flags: ['implicit'] },
  ]);
  await addNodes(db, ['n1', 'n2']);
  await addNodes(db, ['boss'], { admin: true });
  expect(await seeNoderoles(db)).toMatchObject({
    'join@n1': { state: 'todo', deployment: 'system' },
    'look@n1': { state: 'blocked', parents: ['join@n1'], cohort: 1 },
    'look@n2': { state: 'blocked' },
  });
  expect(await bound()).not.toContain('look@boss');
});

test('discovery: machines that are there already get a role imported later', async () => {
  await importRoles(db, [{ name: 'web' }]);
  await addNodes(db, ['n1']);
  await importRoles(db, [{ name: 'look', flags: ['discovery'] }], { name: 'later' });
  expect(await bound()).toEqual(['look@n1']);
});

test('discovery: a node made in a deployment of its own is discovered all the same', async () => {
  await importRoles(db, [{ name: 'look', flags: ['discovery', 'implicit'] }]);
  await addDeployment(db, 'shop');
  await addNodes(db, ['n1'], { deployment: 'shop' });
  expect((await seeNoderoles(db))['look@n1']).toMatchObject({
    deployment: 'system',
    state: 'todo',
  });
});

test('discovery: a role that cannot be bound never keeps a machine from appearing', async () => {
  await importRoles(db, [
    { name: 'lost', flags: ['discovery'], requires: ['nowhere'] },
    { name: 'one', flags: ['discovery', 'implicit'], conflicts: ['two'] },
    { name: 'two', flags: ['discovery', 'implicit'] },
    { name: 'fine', flags: ['discovery', 'implicit'] },
  ]);
  await addNodes(db, ['n1']);
  expect(await bound()).toContain('fine@n1');
  expect(await bound()).not.toContain('lost@n1');
});

test('discovery: a role left out does not make the others forget what they share', async () => {
  await importRoles(db, [
    { name: 'look', flags: ['discovery', 'implicit'], requires: ['hub'] },
    { name: 'hub' },
    { name: 'one', flags: ['discovery', 'implicit'], conflicts: ['two'] },
    { name: 'two', flags: ['discovery', 'implicit'] },
  ]);
  await addNodes(db, ['n1']);
  await addNodes(db, ['n2']);
  expect((await bound()).filter((name) => /^(hub|look)@/.test(name))).toEqual([
    'hub@n1',
    'look@n1',
    'look@n2',
  ]);
});

test('discovery: a thousand machines at once, and many calls at the same moment', async () => {
  await importRoles(db, [
    { name: 'look', flags: ['discovery', 'implicit'], requires: ['hub'] },
    { name: 'hub' },
  ]);
  await Promise.all(
    Array.from({ length: 10 }, (_, batch) =>
      createNodes(db, {
        nodes: Array.from({ length: 100 }, (__, index) => ({ name: `b${batch}-${index}` })),
        actor: ACTOR,
      }),
    ),
  );
  const { rows } = await sql<{ name: string; count: number }>`
    select r.name, count(*)::int as count from noderole w join role r on r.id = w.role_id group by 1 order by 1`.execute(
    db,
  );
  expect(rows).toEqual([
    { name: 'hub', count: 1 },
    { name: 'look', count: 1000 },
  ]);
});

test('bootstrap: bound to the admin node', async () => {
  await importRoles(db, [{ name: 'boot', flags: ['bootstrap'] }]);
  await addNodes(db, ['n1']);
  await addNodes(db, ['boss'], { admin: true });
  expect(await bound()).toEqual(['boot@boss']);
});

test('implicit: the parent stands on the same node', async () => {
  await importRoles(db, [
    { name: 'os', flags: ['implicit'] },
    { name: 'web', requires: ['os'] },
  ]);
  await addNodes(db, ['n1', 'n2']);
  await deploy(db, (await addDeployment(db, 'shop')).id, ['web@n1', 'web@n2']);
  expect(await seeNoderoles(db)).toMatchObject({
    'web@n1': { parents: ['os@n1'] },
    'web@n2': { parents: ['os@n2'] },
  });
});

test('service: one instance serves the deployments below, and its data reaches the clients', async () => {
  await importRoles(db, [
    { name: 'ntp', flags: ['service'], attribs: [{ name: 'ntp-servers', default: [] }] },
    { name: 'clock', wants: ['ntp-servers'] },
  ]);
  await addNodes(db, ['n1', 'n2', 'n3']);
  const site = await addDeployment(db, 'site');
  const shop = await addDeployment(db, 'shop', site.id);
  await deploy(db, site.id, ['ntp@n1']);
  await expect(deploy(db, site.id, ['ntp@n2'])).rejects.toThrow(
    /serves deployment site from n1 already/,
  );
  await deploy(db, shop.id, ['clock@n3']);
  expect((await seeNoderoles(db))['clock@n3']?.parents).toEqual(['ntp@n1']);
  const { rows } = await sql`select attrib from attrib_link`.execute(db);
  expect(rows).toEqual([{ attrib: 'ntp-servers' }]);
});

test('cluster: children of one member are children of all', async () => {
  await importRoles(db, [
    { name: 'etcd', flags: ['cluster'] },
    { name: 'api', requires: ['etcd'] },
  ]);
  await addNodes(db, ['n1', 'n2', 'n3']);
  await deploy(db, (await addDeployment(db, 'shop')).id, [
    'etcd@n1',
    'etcd@n2',
    'api@n2',
    'api@n3',
  ]);
  expect(await seeNoderoles(db)).toMatchObject({
    'api@n2': { parents: ['etcd@n1', 'etcd@n2'], pending: 2 },
    'api@n3': { parents: ['etcd@n1', 'etcd@n2'], pending: 2 },
  });
});

test('destructive: named in the plan with its disks, never re-run by a change', async () => {
  await importRoles(db, [{ name: 'wipe', flags: ['destructive'], attribs: [{ name: 'layout' }] }]);
  await addNodes(db, ['n1']);
  await sql`update node set discovery = '{"disks": [{"name": "sda"}, {"serial": "no name"}, 7]}'`.execute(
    db,
  );
  const { id } = await propose(db, (await addDeployment(db, 'shop')).id);
  await bindRoles(db, { snapshotId: id, actor: ACTOR, bindings: [asBinding('wipe@n1')] });
  expect((await planSnapshot(db, id)).destructive).toMatchObject([
    { role: 'wipe', node: 'n1', disks: [{ name: 'sda' }] },
  ]);
});

test('abstract: not bound and not offered, but fulfilled by who provides it', async () => {
  await importRoles(db, [
    { name: 'http', flags: ['abstract'] },
    { name: 'nginx', provides: ['http'] },
    { name: 'app', requires: ['http'] },
  ]);
  await addNodes(db, ['n1']);
  const shop = await addDeployment(db, 'shop');
  const offered = await explainBinding(db, { deploymentId: shop.id, nodes: ['n1'] });
  expect(offered.map((role) => role.role)).toEqual(['app', 'nginx']);
  await deploy(db, shop.id, ['app@n1']);
  expect(await bound()).toEqual(['app@n1', 'nginx@n1']);
});

test('milestone: offered first; library: not offered, though it can be bound', async () => {
  await importRoles(db, [
    { name: 'a' },
    { name: 'lib', flags: ['library'] },
    { name: 'z', flags: ['milestone'], requires: ['lib'] },
  ]);
  await addNodes(db, ['n1']);
  const shop = await addDeployment(db, 'shop');
  const offered = await explainBinding(db, { deploymentId: shop.id, nodes: ['n1'] });
  expect(offered.map((role) => role.role)).toEqual(['z', 'a']);
  await deploy(db, shop.id, ['lib@n1']);
  expect(await bound()).toEqual(['lib@n1']);
});

test('powersave, reboots: kept with the role for whoever runs it', async () => {
  await importRoles(db, [{ name: 'a', flags: ['powersave', 'reboots'] }]);
  const { rows } = await sql`select powersave, reboots from role`.execute(db);
  expect(rows).toEqual([{ powersave: true, reboots: true }]);
});

test('soft order: counted where both are bound, nothing pulled in, nothing waited for by counter', async () => {
  await importRoles(db, [{ name: 'agent' }, { name: 'web', after: ['agent'] }]);
  await addNodes(db, ['n1', 'n2']);
  const shop = await addDeployment(db, 'shop');
  await deploy(db, shop.id, ['web@n1']);
  expect(await bound()).toEqual(['web@n1']);
  await deploy(db, shop.id, ['agent@n1']);
  expect((await seeNoderoles(db))['web@n1']).toMatchObject({
    parents: ['agent@n1~'],
    pending: 0,
    state: 'todo',
    cohort: 1,
  });
  await makeActive(db, ['agent@n1']);
  expect((await seeNoderoles(db))['web@n1']).toMatchObject({ pending: 0 });
});

test('every flag is in the reference, with its test', () => {
  const page = readFileSync(
    new URL('../../../../docs/reference/roles.md', import.meta.url),
    'utf8',
  );
  for (const flag of ROLE_FLAGS) expect(page).toMatch(new RegExp(`^\\| \`${flag}\``, 'm'));
});
