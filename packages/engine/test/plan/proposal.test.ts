import { HostwrightError } from '@hostwright/core';
import {
  addDeploymentRole,
  bindRoles,
  commitSnapshot,
  diffSnapshots,
  discardSnapshot,
  explainBinding,
  listSnapshots,
  planSnapshot,
  proposeSnapshot,
  removeDeploymentRole,
  rollbackDeployment,
  setBindingData,
  setDeploymentData,
  unbindRoles,
  type Db,
} from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  ACTOR,
  addDeployment,
  addNodes,
  asBinding,
  deploy,
  importRoles,
  propose,
  clear,
} from './fixture.ts';

let database: TestDatabase;
let db: Db;
let shop: number;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
beforeEach(async () => {
  await clear(db);
  await importRoles(db, [
    { name: 'base', flags: ['implicit'] },
    { name: 'dns' },
    {
      name: 'web',
      requires: ['base', 'dns'],
      flags: ['milestone'],
      attribs: [{ name: 'port', schema: { type: 'integer', maximum: 65535 } }],
    },
    { name: 'shy', conflicts: ['web'] },
    { name: 'hidden', flags: ['library'] },
    { name: 'shape', flags: ['abstract'] },
  ]);
  await addNodes(db, ['n1', 'n2', 'n3']);
  shop = (await addDeployment(db, 'shop')).id;
});
afterAll(() => database.close());

const bind = (snapshotId: number, pairs: readonly string[]) =>
  bindRoles(db, { snapshotId, actor: ACTOR, bindings: pairs.map(asBinding) });
const unbind = (snapshotId: number, pairs: readonly string[]) =>
  unbindRoles(db, { snapshotId, actor: ACTOR, bindings: pairs.map(asBinding) });
const content = async (): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select r.name || '@' || n.name || case b.origin when 'required' then '*' else '' end as name
    from binding b join role r on r.id = b.role_id join node n on n.id = b.node_id where b.removed_revision is null order by 1`.execute(
    db,
  );
  return rows.map((row) => row.name);
};

describe('binding in a proposal', () => {
  test('brings what is required, with the reason, and says so', async () => {
    const { id } = await propose(db, shop);
    expect(await bind(id, ['web@n1'])).toEqual({
      bound: 1,
      refusals: [],
      pulledIn: [
        { role: 'base', node: 'n1', reason: 'web@n1 requires base, on the same node' },
        {
          role: 'dns',
          node: 'n1',
          reason: 'web@n1 requires dns, and there is none up the deployment tree',
        },
      ],
    });
    expect(await bind(id, ['web@n2'])).toMatchObject({ pulledIn: [{ role: 'base', node: 'n2' }] });
    expect(await content()).toEqual(['base@n1*', 'base@n2*', 'dns@n1*', 'web@n1', 'web@n2']);
  });

  test('refused: every reason of every request, and nothing is bound', async () => {
    const { id } = await propose(db, shop);
    const answer = await bind(id, ['web@n1', 'shy@n1', 'nothing@n1', 'web@nowhere', 'shape@n2']);
    expect(answer.bound).toBe(0);
    expect(answer.refusals.map((refusal) => refusal.code).sort()).toEqual([
      'conflict',
      'role_abstract',
      'unknown_node',
      'unknown_role',
    ]);
    expect(await content()).toEqual([]);
  });

  test('names of a megabyte are answered in a few words', async () => {
    const { id } = await propose(db, shop);
    const answer = await bindRoles(db, {
      snapshotId: id,
      actor: ACTOR,
      bindings: [{ role: 'a'.repeat(1_000_000), node: 'b'.repeat(1_000_000) }],
    });
    expect(JSON.stringify(answer).length).toBeLessThan(2000);
    expect(answer.refusals).toHaveLength(2);
  });

  test('again is no change, not even of the number of edits', async () => {
    const { id } = await propose(db, shop);
    await bind(id, ['web@n1']);
    const [before] = await listSnapshots(db, { deploymentId: shop });
    expect(await bind(id, ['web@n1'])).toEqual({ bound: 0, pulledIn: [], refusals: [] });
    const [after] = await listSnapshots(db, { deploymentId: shop });
    expect(after?.edits).toBe(before?.edits);
  });

  test('ten thousand in one call', async () => {
    await sql`insert into node (name, deployment_id) select 'bulk' || i, 1 from generate_series(1, 5000) i`.execute(
      db,
    );
    const { id } = await propose(db, shop);
    const bindings = Array.from({ length: 5000 }, (_, index) => [
      { role: 'web', node: `bulk${index + 1}` },
      { role: 'dns', node: `bulk${index + 1}` },
    ]).flat();
    const answer = await bindRoles(db, { snapshotId: id, actor: ACTOR, bindings });
    expect(answer).toMatchObject({ bound: 10_000, refusals: [] });
    expect(answer.pulledIn).toHaveLength(5000);
    expect((await planSnapshot(db, id)).add).toHaveLength(15_000);
  });

  test('more than the limit is refused at once', async () => {
    const { id } = await propose(db, shop);
    const bindings = Array.from({ length: 100_001 }, () => ({ role: 'web', node: 'n1' }));
    await expect(bindRoles(db, { snapshotId: id, actor: ACTOR, bindings })).rejects.toThrow(
      /at most 100000/,
    );
  });

  test('race C13: binds at the same moment leave no half-built graph', async () => {
    const { id } = await propose(db, shop);
    const answers = await Promise.all(
      ['web@n1', 'web@n2', 'web@n3', 'web@n1', 'dns@n2', 'web@n2'].map((pair) => bind(id, [pair])),
    );
    expect(answers.flatMap((answer) => answer.refusals)).toEqual([]);
    const bound = await content();
    expect(bound.filter((name) => name.startsWith('web'))).toEqual(['web@n1', 'web@n2', 'web@n3']);
    expect(bound.filter((name) => name.startsWith('base'))).toEqual([
      'base@n1*',
      'base@n2*',
      'base@n3*',
    ]);
    expect((await planSnapshot(db, id)).refusals).toEqual([]);
  });

  test('asked for by name what was pulled in before: it is the operator’s from then on', async () => {
    const { id } = await propose(db, shop);
    await bind(id, ['web@n1']);
    await bind(id, ['dns@n1']);
    await unbind(id, ['web@n1']);
    expect(await content()).toEqual(['dns@n1']);
  });
});

describe('unbinding', () => {
  test('takes along what nothing else requires', async () => {
    const { id } = await propose(db, shop);
    await bind(id, ['web@n1', 'web@n2']);
    expect(await unbind(id, ['web@n2'])).toMatchObject({
      unbound: 1,
      alsoUnbound: [{ role: 'base', node: 'n2' }],
      refusals: [],
    });
    expect(await content()).toEqual(['base@n1*', 'dns@n1*', 'web@n1']);
  });

  test('what others require stays, and it is said why', async () => {
    const { id } = await propose(db, shop);
    await bind(id, ['web@n1', 'dns@n1']);
    expect(await unbind(id, ['dns@n1'])).toMatchObject({
      unbound: 0,
      stays: [{ role: 'dns', node: 'n1', reason: expect.stringMatching(/requires dns/) }],
    });
    expect(await content()).toEqual(['base@n1*', 'dns@n1*', 'web@n1']);
  });

  test('what is not bound is refused, all or nothing', async () => {
    const { id } = await propose(db, shop);
    await bind(id, ['web@n1']);
    expect((await unbind(id, ['web@n1', 'web@n3'])).refusals).toMatchObject([
      { code: 'not_bound', path: 'web@n3' },
    ]);
    expect(await content()).toContain('web@n1');
  });
});

describe('a proposal', () => {
  test('is one per deployment, and the answer names the one there is', async () => {
    await propose(db, shop);
    await expect(propose(db, shop)).rejects.toThrow(
      /a proposal already: revision 1, opened by anna/,
    );
  });

  test('two at the same moment: one is opened', async () => {
    const results = await Promise.allSettled([
      propose(db, shop),
      propose(db, shop),
      propose(db, shop),
    ]);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  test('of the system deployment there is none', async () => {
    await expect(proposeSnapshot(db, { deploymentId: 1, actor: ACTOR })).rejects.toThrow(
      /never proposed/,
    );
  });

  test('thrown away, everything is as it was', async () => {
    await deploy(db, shop, ['web@n1']);
    const before = await content();
    const { id } = await propose(db, shop);
    await unbind(id, ['web@n1']);
    await bind(id, ['web@n2']);
    await setDeploymentData(db, { snapshotId: id, actor: ACTOR, data: { port: 1 } });
    await discardSnapshot(db, { snapshotId: id, actor: ACTOR });
    expect(await content()).toEqual(before);
    expect(
      (await listSnapshots(db, { deploymentId: shop })).map((snapshot) => snapshot.state),
    ).toEqual(['committed']);
  });

  test('edited on an old reading is refused', async () => {
    const { id } = await propose(db, shop);
    await bind(id, ['web@n1']);
    const late = bindRoles(db, {
      snapshotId: id,
      actor: ACTOR,
      edits: 0,
      bindings: [{ role: 'web', node: 'n2' }],
    });
    await expect(late).rejects.toMatchObject({ code: 'precondition_failed' });
  });

  test('once committed it is never changed again', async () => {
    const { snapshot } = await deploy(db, shop, ['web@n1']);
    await expect(bind(snapshot.id, ['web@n2'])).rejects.toThrow(
      /is committed \(by anna\): only a proposal can be changed/,
    );
    await expect(
      discardSnapshot(db, { snapshotId: snapshot.id, actor: ACTOR }),
    ).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('data', () => {
  test('is checked at each write, all faults at once', async () => {
    const { id } = await propose(db, shop);
    await bind(id, ['web@n1']);
    const bad = { port: 70_000, prot: 1 };
    const faults = async (work: Promise<unknown>) => {
      const error = await work.catch((thrown: unknown) => thrown);
      return error instanceof HostwrightError
        ? error.refusals.map((refusal) => refusal.code).sort()
        : error;
    };
    const at = { snapshotId: id, actor: ACTOR };
    expect(await faults(setBindingData(db, { ...at, role: 'web', node: 'n1', data: bad }))).toEqual(
      ['schema', 'undeclared'],
    );
    expect(await faults(addDeploymentRole(db, { ...at, role: 'web', data: bad }))).toEqual([
      'schema',
      'undeclared',
    ]);
    expect(await faults(setDeploymentData(db, { ...at, data: bad }))).toEqual([
      'schema',
      'undeclared',
    ]);
    const answer = await bindRoles(db, {
      ...at,
      bindings: [{ role: 'web', node: 'n2', data: bad }],
    });
    expect(answer.refusals.map((refusal) => refusal.code).sort()).toEqual(['schema', 'undeclared']);
  });

  test('of what is not bound or not there is refused', async () => {
    const { id } = await propose(db, shop);
    const at = { snapshotId: id, actor: ACTOR };
    await expect(
      setBindingData(db, { ...at, role: 'web', node: 'n1', data: {} }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(addDeploymentRole(db, { ...at, role: 'nothing', data: {} })).rejects.toMatchObject(
      { code: 'not_found' },
    );
  });

  test('a role leaves the deployment only when nothing binds it', async () => {
    const { id } = await propose(db, shop);
    const at = { snapshotId: id, actor: ACTOR };
    await addDeploymentRole(db, { ...at, role: 'shy' });
    await removeDeploymentRole(db, { ...at, role: 'shy' });
    await bind(id, ['web@n1']);
    await expect(removeDeploymentRole(db, { ...at, role: 'web' })).rejects.toThrow(/bound to n1/);
  });
});

describe('history', () => {
  test('any two revisions are compared, and an older one proposed again', async () => {
    await deploy(db, shop, ['web@n1']);
    const second = await propose(db, shop);
    const at = { snapshotId: second.id, actor: ACTOR };
    await bind(second.id, ['web@n2']);
    await setBindingData(db, { ...at, role: 'web', node: 'n1', data: { port: 81 } });
    await setDeploymentData(db, { ...at, data: { port: 8080 } });
    await addDeploymentRole(db, { ...at, role: 'web', data: { port: 82 } });
    await commitSnapshot(db, { snapshotId: second.id, actor: ACTOR });
    const diff = await diffSnapshots(db, { deploymentId: shop, from: 1, to: 2 });
    expect(diff.bindings.added.map((change) => `${change.role}@${change.node}`)).toEqual([
      'base@n2',
      'web@n2',
    ]);
    expect(diff.bindings.changed).toEqual([
      { role: 'web', node: 'n1', before: {}, after: { port: 81 } },
    ]);
    expect(diff.roles.changed).toEqual([{ role: 'web', before: {}, after: { port: 82 } }]);
    expect(diff.data).toEqual({ before: {}, after: { port: 8080 } });
    const back = await rollbackDeployment(db, { deploymentId: shop, toRevision: 1, actor: ACTOR });
    const reversed = await diffSnapshots(db, { deploymentId: shop, from: 1, to: back.revision });
    expect(reversed).toMatchObject({
      bindings: { added: [], removed: [], changed: [] },
      roles: { added: [], removed: [], changed: [] },
      data: null,
    });
    const plan = await planSnapshot(db, back.id);
    expect(plan.teardown.map((item) => `${item.role}@${item.node}`).sort()).toEqual([
      'base@n2',
      'web@n2',
    ]);
    await commitSnapshot(db, { snapshotId: back.id, actor: ACTOR });
    expect(
      (await listSnapshots(db, { deploymentId: shop })).map((snapshot) => snapshot.state),
    ).toEqual(['committed', 'superseded', 'superseded']);
    // the second revision still tells what it held
    const old = await diffSnapshots(db, { deploymentId: shop, from: 0, to: 2 });
    expect(old.bindings.added).toHaveLength(5);
  });

  test('a revision that never was committed is nothing to go back to', async () => {
    await expect(
      rollbackDeployment(db, { deploymentId: shop, toRevision: 7, actor: ACTOR }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(diffSnapshots(db, { deploymentId: shop, from: 0, to: 7 })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

test('while dragging: each offered role says whether it would take the node, why not, and what comes along', async () => {
  await deploy(db, shop, ['web@n1']);
  const explained = await explainBinding(db, { deploymentId: shop, nodes: ['n1'] });
  expect(explained.map((one) => one.role)).toEqual(['web', 'base', 'dns', 'shy']);
  expect(explained[0]).toMatchObject({ accepts: true, alreadyBound: ['n1'] });
  expect(explained[3]).toMatchObject({ accepts: false, refusals: [{ code: 'conflict' }] });
  const [other] = await explainBinding(db, {
    deploymentId: shop,
    nodes: ['n2', 'n3'],
    roles: ['web'],
  });
  expect(other?.pulledIn.map((pulled) => `${pulled.role}@${pulled.node}`)).toEqual([
    'base@n2',
    'base@n3',
  ]);
  await expect(
    explainBinding(db, { deploymentId: shop, nodes: ['nowhere'] }),
  ).rejects.toMatchObject({ code: 'not_found' });
  expect(await content()).toEqual(['base@n1*', 'dns@n1*', 'web@n1']);
});
