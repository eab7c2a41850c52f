import type { JsonObject } from '@hostwright/core';
import {
  bindRoles,
  commitSnapshot,
  explainAttribs,
  planSnapshot,
  reconsiderInputs,
  resolveInputs,
  setBindingData,
  setDeploymentData,
  addDeploymentRole,
  transaction,
  type Db,
} from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  ACTOR,
  addDeployment,
  addNodes,
  clear,
  deploy,
  importRoles,
  makeActive,
  propose,
  seeNoderoles,
} from './fixture.ts';

let database: TestDatabase;
let db: Db;
let site: number;
let shop: number;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterAll(() => database.close());

const LAYERED = [
  {
    name: 'dns',
    attribs: [
      { name: 'dns-domain', path: 'dns/domain', default: 'example.org' },
      { name: 'dns-key', path: 'dns/key', secret: true },
    ],
  },
  {
    name: 'web',
    requires: ['dns'],
    wants: ['dns-domain', 'rack', 'cpus', 'node-name', 'deployment-name', 'load'],
    attribs: [
      { name: 'level', default: 'role default' },
      { name: 'port', path: 'web/port', default: 80 },
    ],
  },
];
const FACTS = {
  data: {},
  attribs: [
    { name: 'rack' },
    { name: 'cpus', path: 'cpu/count' },
    { name: 'load', volatile: true },
    { name: 'node-name', path: 'node/name' },
    { name: 'deployment-name', path: 'deployment/name' },
  ],
};

beforeEach(async () => {
  await clear(db);
  await importRoles(db, LAYERED, FACTS);
  await addNodes(db, ['n1', 'n2']);
  site = (await addDeployment(db, 'site')).id;
  shop = (await addDeployment(db, 'shop', site)).id;
  await deploy(db, shop, ['web@n1']);
});

const idOf = async (name: string): Promise<number> => {
  const noderole = (await seeNoderoles(db))[name];
  if (noderole === undefined) throw new Error(`there is no ${name}`);
  return noderole.id;
};
const inputs = async (name = 'web@n1') => {
  const id = await idOf(name);
  const found = (await resolveInputs(db, [id])).get(id);
  if (found === undefined) throw new Error('no inputs');
  return found;
};
const explained = async (path: string) =>
  (await explainAttribs(db, { noderoleId: await idOf('web@n1') })).values.find(
    (value) => value.path === path,
  );
const edit = async (
  deploymentId: number,
  body: (snapshotId: number) => Promise<unknown>,
): Promise<void> => {
  const { id } = await propose(db, deploymentId);
  await body(id);
  await commitSnapshot(db, { snapshotId: id, actor: ACTOR });
};

test('every layer in its order, weakest first, each told by name', async () => {
  const see = async () => {
    const value = await explained('level');
    return value === undefined
      ? ''
      : `${JSON.stringify(value.value)} / ${value.layer} / ${value.from}`;
  };
  expect(await see()).toBe('"role default" / role default / web');
  await sql`update barclamp set data = '{"level": "barclamp"}'`.execute(db);
  expect(await see()).toBe('"barclamp" / barclamp / test');
  await edit(site, (snapshotId) =>
    setDeploymentData(db, { snapshotId, actor: ACTOR, data: { level: 'above' } }),
  );
  expect(await see()).toBe('"above" / deployment / site');
  await edit(shop, (snapshotId) =>
    setDeploymentData(db, { snapshotId, actor: ACTOR, data: { level: 'here' } }),
  );
  expect(await see()).toBe('"here" / deployment / shop');
  await edit(shop, (snapshotId) =>
    addDeploymentRole(db, {
      snapshotId,
      actor: ACTOR,
      role: 'web',
      data: { level: 'all webs' },
    }),
  );
  expect(await see()).toBe('"all webs" / deployment role / web in shop');
  await sql`update noderole set wall = '{"level": "learned"}' where id = ${await idOf('web@n1')}`.execute(
    db,
  );
  expect(await see()).toBe('"learned" / own wall / web@n1');
  await sql`update node set hint = '{"level": "wished"}' where name = 'n1'`.execute(db);
  expect(await see()).toBe('"wished" / hint / n1');
  await edit(shop, (snapshotId) =>
    setBindingData(db, {
      snapshotId,
      actor: ACTOR,
      role: 'web',
      node: 'n1',
      data: { level: 'own' },
    }),
  );
  expect(await see()).toBe('"own" / own data / web@n1');
  expect((await explained('level'))?.covers.map((cover) => cover.layer)).toEqual([
    'hint',
    'own wall',
    'deployment role',
    'deployment',
    'deployment',
    'barclamp',
    'role default',
  ]);
});

test('facts are seen only where they are wanted, hints only where declared', async () => {
  await sql`update node set discovery = '{"rack": "r7", "cpu": {"count": 8, "model": "x"}, "huge": {"a": 1}}', hint = '{"cpu": {"count": 9}, "free": 1}' where name = 'n1'`.execute(
    db,
  );
  const { attribs } = await inputs();
  expect(attribs).toMatchObject({ rack: 'r7', cpu: { count: 9 } });
  expect(JSON.stringify(attribs)).not.toMatch(/huge|model|free/);
  expect((await explained('cpu/count'))?.covers).toEqual([
    { layer: 'discovery', from: 'n1', value: 8 },
  ]);
});

test('what the engine knows is there for whoever wants it', async () => {
  expect((await inputs()).attribs).toMatchObject({
    node: { name: 'n1' },
    deployment: { name: 'shop' },
  });
  expect(await explained('node/name')).toMatchObject({ layer: 'computed' });
});

describe('from an ancestor', () => {
  test('its effective value is read: default, operator’s data, then what it learned', async () => {
    expect((await inputs()).attribs).toMatchObject({ dns: { domain: 'example.org' } });
    await edit(shop, (snapshotId) =>
      addDeploymentRole(db, {
        snapshotId,
        actor: ACTOR,
        role: 'dns',
        data: { dns: { domain: 'shop.example' } },
      }),
    );
    expect((await inputs()).attribs).toMatchObject({ dns: { domain: 'shop.example' } });
    await sql`update noderole set wall = '{"dns": {"domain": "real.example", "other": 1}}' where id = ${await idOf('dns@n1')}`.execute(
      db,
    );
    const { attribs } = await inputs();
    expect(attribs).toMatchObject({ dns: { domain: 'real.example' } });
    expect(JSON.stringify(attribs)).not.toContain('other');
    expect(await explained('dns/domain')).toMatchObject({ layer: 'ancestor wall', from: 'dns@n1' });
  });

  test('that only provides the role the attribute belongs to', async () => {
    await importRoles(
      db,
      [
        { name: 'kv', flags: ['abstract'], attribs: [{ name: 'kv-port', default: 1 }] },
        { name: 'etcd', provides: ['kv'] },
        { name: 'app', wants: ['kv-port'] },
      ],
      { name: 'more' },
    );
    await deploy(db, shop, ['app@n2']);
    await sql`update noderole set wall = '{"kv-port": 2379}' where id = ${await idOf('etcd@n2')}`.execute(
      db,
    );
    expect((await inputs('app@n2')).attribs).toEqual({ 'kv-port': 2379 });
  });

  test('a changed output re-runs who consumes it and nobody else', async () => {
    await makeActive(db, ['dns@n1', 'web@n1']);
    const dns = await idOf('dns@n1');
    await sql`update noderole set wall = '{"other": 1}' where id = ${dns}`.execute(db);
    const reconsider = () =>
      transaction(db, (tx) => reconsiderInputs(tx, { noderoleIds: [dns], cause: 'test' }));
    expect(await reconsider()).toEqual({ rerun: [], drifted: [] });
    await sql`update noderole set wall = '{"dns": {"domain": "new.example"}}' where id = ${dns}`.execute(
      db,
    );
    expect(await reconsider()).toEqual({ rerun: [await idOf('web@n1')], drifted: [] });
    expect((await seeNoderoles(db))['dns@n1']?.state).toBe('active');
  });
});

describe('input hash', () => {
  const set = (wall: JsonObject, facts: JsonObject) =>
    sql`with a as (update noderole set wall = ${JSON.stringify(wall)} where id in (select w.id from noderole w join role r on r.id = w.role_id where r.name = 'web'))
      update node set discovery = ${JSON.stringify(facts)} where name = 'n1'`.execute(db);

  test('its own wall and volatile facts do not count; declared facts do', async () => {
    await set({}, { rack: 'r1' });
    const before = await inputs();
    await set({ level: 'x', web: { port: 1 } }, { rack: 'r1', load: 0.5 });
    const after = await inputs();
    expect(after.inputHash).toBe(before.inputHash);
    expect(after.attribsHash).not.toBe(before.attribsHash);
    await set({}, { rack: 'r2' });
    expect((await inputs()).inputHash).not.toBe(before.inputHash);
  });

  test('a noderole under way is looked at again when it ends', async () => {
    const id = await idOf('dns@n1');
    await sql`update noderole set state = 'transition', run_id = 0 where id = ${id}`.execute(db);
    await transaction(db, (tx) => reconsiderInputs(tx, { noderoleIds: [id], cause: 'test' }));
    const { rows } = await sql<{
      stale: boolean;
    }>`select stale from noderole where id = ${id}`.execute(db);
    expect(rows).toEqual([{ stale: true }]);
    await sql`update noderole set run_id = null, state = 'active' where id = ${id}`.execute(db);
  });
});

describe('secrets', () => {
  test('are references everywhere; a plain one is refused at the write', async () => {
    const { id } = await propose(db, shop);
    const at = { snapshotId: id, actor: ACTOR, role: 'dns', node: 'n1' };
    await expect(setBindingData(db, { ...at, data: { dns: { key: 'hunter2' } } })).rejects.toThrow(
      /is a secret/,
    );
    await setBindingData(db, { ...at, data: { dns: { key: { $secret: 'dns-key' } } } });
    const plan = await planSnapshot(db, id);
    await commitSnapshot(db, { snapshotId: id, actor: ACTOR, planHash: plan.hash });
    const { attribs, secrets } = await inputs('dns@n1');
    expect(secrets).toEqual(['dns-key']);
    expect(attribs).toMatchObject({ dns: { key: { $secret: 'dns-key' } } });
  });

  test('one that a run wrote to its wall is never shown', async () => {
    const id = await idOf('dns@n1');
    await sql`update noderole set wall = '{"dns": {"key": "hunter2"}}' where id = ${id}`.execute(
      db,
    );
    const shown = await explainAttribs(db, { noderoleId: id });
    expect(JSON.stringify(shown)).not.toContain('hunter2');
    expect(shown.values.find((value) => value.path === 'dns/key')).toMatchObject({ secret: true });
  });
});

test('a batch over many deployments, nodes and roles is each one’s own', async () => {
  const parts = await Promise.all(
    [1, 2, 3].map((index) => addDeployment(db, `part${index}`, shop)),
  );
  await addNodes(db, ['m0', 'm1', 'm2']);
  for (const [index, part] of parts.entries()) {
    const { id } = await propose(db, part.id);
    await bindRoles(db, {
      snapshotId: id,
      actor: ACTOR,
      bindings: [{ role: 'web', node: `m${index}`, data: { web: { port: index } } }],
    });
    await setDeploymentData(db, { snapshotId: id, actor: ACTOR, data: { level: `part${index}` } });
    await commitSnapshot(db, { snapshotId: id, actor: ACTOR });
  }
  const seen = await seeNoderoles(db);
  const resolved = await resolveInputs(
    db,
    Object.values(seen).map((noderole) => noderole.id),
  );
  for (const index of [0, 1, 2])
    expect(resolved.get(seen[`web@m${index}`]?.id ?? 0)?.attribs).toMatchObject({
      level: `part${index}`,
      web: { port: index },
      node: { name: `m${index}` },
      dns: { domain: 'example.org' },
    });
  expect(resolved.size).toBe(Object.keys(seen).length);
});

test('of a noderole that is not there nothing is made up', async () => {
  expect((await resolveInputs(db, [999_999])).size).toBe(0);
  await expect(explainAttribs(db, { noderoleId: 999_999 })).rejects.toMatchObject({
    code: 'not_found',
  });
});
