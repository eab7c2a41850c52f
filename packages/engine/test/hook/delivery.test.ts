import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, eventually, type TestDatabase } from '@hostwright/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createNode,
  createNodes,
  deleteNode,
  emit,
  listJigs,
  loadHooks,
  needNode,
  readEvents,
  registerJigs,
  runVetoes,
  sequenceEvents,
  setJigActive,
  SILENT,
  START,
  startDelivery,
  transaction,
  updateNode,
  type Db,
  type Jig,
} from '@hostwright/engine';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'barclamps-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A barclamp with one role of its own name, and hooks given as source. Calls end up in a file. */
const importBarclamp = async (db: Db, name: string, source: string): Promise<number> => {
  const path = join(folder, `${name}-${Math.random().toString(36).slice(2)}`);
  mkdirSync(path);
  writeFileSync(join(path, 'hooks.ts'), source);
  await db
    .insertInto('jig')
    .values({ name: 'noop' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const barclamp = await db
    .insertInto('barclamp')
    .values({ name, version: '1', source_path: path, content_hash: path })
    .returning('id')
    .executeTakeFirstOrThrow();
  const role = await db
    .insertInto('role')
    .values({ barclamp_id: barclamp.id, name: `${name}-role`, jig: 'noop' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await transaction(db, (tx) => emit(tx, { kind: 'barclamp.imported', payload: { name } }));
  return role.id;
};

const box = (name: string): { readonly seen: string[] } => {
  const file = join(folder, `${name}.seen`);
  return { seen: existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [] };
};
const recorder = (name: string) => `
  import { appendFileSync } from 'node:fs';
  const seen = { push: (text: string) => appendFileSync(${JSON.stringify(join(folder, `${name}.seen`))}, text + '\\n') };
`;

const bind = async (db: Db, roleId: number, nodeName: string) => {
  const node = await needNode(db, nodeName);
  const system = await db
    .selectFrom('deployment')
    .select('id')
    .where('system', '=', true)
    .executeTakeFirstOrThrow();
  return db
    .insertInto('noderole')
    .values({
      deployment_id: system.id,
      role_id: roleId,
      node_id: node.id,
      lane: 'host',
      state: 'todo',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
};

const withDelivery = async (
  database: TestDatabase,
  options: Partial<Parameters<typeof startDelivery>[0]>,
  body: () => Promise<void>,
) => {
  const delivery = await startDelivery({ database, log: SILENT, tickMs: 500, ...options });
  try {
    await body();
  } finally {
    await delivery.stop();
  }
};

test('hooks are called for own roles only, in order, with names instead of numbers', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const own = await importBarclamp(
    db,
    'own',
    `${recorder('order')}
    export const hooks = {
      onTodo: (_: unknown, s: any) => { seen.push('todo ' + s.role + ' on ' + s.node.name + ' in ' + s.deployment.name); },
      onError: (_: unknown, s: any) => { seen.push('error ' + s.from + ': ' + s.reason); },
      onNodeCreate: (_: unknown, n: any) => { seen.push('node ' + n.name); },
      onNodeChange: (_: unknown, n: any) => { seen.push('changed ' + JSON.stringify(n.changes)); },
      onNodeDelete: (_: unknown, n: any) => { seen.push('deleted ' + n.name); },
    };`,
  );
  const other = await importBarclamp(db, 'other', 'export const hooks = {};');
  await withDelivery(database, {}, async () => {
    await createNode(db, { name: 'n1', actor: 'test' });
    const { id } = await bind(db, own, 'n1');
    await bind(db, other, 'n1');
    await db
      .updateTable('noderole')
      .set({ state: 'error', reason: 'broken' })
      .where('id', '=', id)
      .execute();
    await updateNode(db, { node: 'n1', changes: { bootenv: 'rescue' }, actor: 'test' });
    await deleteNode(db, { node: 'n1', actor: 'test', abandon: true });
    await eventually(() => box('order').seen.length === 5);
    expect(box('order').seen).toEqual([
      'node n1',
      'todo own-role on n1 in system',
      'error todo: broken',
      'changed {"bootenv":"rescue"}',
      'deleted n1',
    ]);
  });
});

test('race C22: a hook that throws stops neither other barclamps nor, once given up, its own later events', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await importBarclamp(
    db,
    'bad',
    `${recorder('bad')}
    export const hooks = { onNodeCreate: (c: any, n: any) => {
      seen.push(n.name + ' ' + c.attempt + ' ' + c.deliveryId);
      if (n.name === 'n1') throw new Error('always wrong');
    } };`,
  );
  await importBarclamp(
    db,
    'good',
    `${recorder('good')} export const hooks = { onNodeCreate: (_: unknown, n: any) => { seen.push(n.name); } };`,
  );
  await withDelivery(database, { attemptLimit: 2 }, async () => {
    await createNode(db, { name: 'n1', actor: 'test' });
    await createNode(db, { name: 'n2', actor: 'test' });
    await eventually(() => box('good').seen.length === 2);
    await eventually(() => box('bad').seen.length === 3);
    const [first, second, third] = box('bad').seen;
    expect(first).toMatch(/^n1 1 hook\.bad\/\d+$/);
    expect(second).toBe(first?.replace('n1 1', 'n1 2'));
    expect(third).toMatch(/^n2 1 /);
  });
  await sequenceEvents(db);
  const { events } = await readEvents(db, { after: START, filter: { kinds: ['hook.failed'] } });
  expect(events.map((event) => event.payload['error'])).toEqual(['always wrong']);
  const dead = await db.selectFrom('hook_delivery').select(['attempts', 'dead_at']).execute();
  expect(dead).toEqual([{ attempts: 2, dead_at: expect.any(Date) }]);
});

test.each([
  ['never answers', 'new Promise(() => {})'],
  ['loops without ever yielding', '(() => { for (;;); })()'],
])('a hook that %s is ended at its time limit, told, and holds up nobody', async (how, hang) => {
  await using database = await createTestDatabase();
  const { db } = database;
  const name = how.split(' ')[0] ?? '';
  await importBarclamp(
    db,
    name,
    `${recorder(name)} export const hooks = { onNodeCreate: (_: unknown, n: any) => {
      seen.push(n.name); return n.name === 'n1' ? ${hang} : undefined; } };`,
  );
  await importBarclamp(
    db,
    'other',
    `${recorder(`other ${name}`)} export const hooks = { onNodeCreate: (_: unknown, n: any) => { seen.push(n.name); } };`,
  );
  await withDelivery(database, { attemptLimit: 1, timeLimitMs: 1000 }, async () => {
    await createNode(db, { name: 'n1', actor: 'test' });
    await createNode(db, { name: 'n2', actor: 'test' });
    await eventually(() => box(`other ${name}`).seen.length === 2);
    await eventually(() => box(name).seen.includes('n2'));
  });
  await sequenceEvents(db);
  const { events } = await readEvents(db, { after: START, filter: { kinds: ['hook.failed'] } });
  expect(events.map((event) => event.payload['error'])).toEqual(['took longer than 1 s']);
});

test('race C6: what happened while nothing was running is delivered after the start, once and in order', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await importBarclamp(
    db,
    'later',
    `${recorder('later')} export const hooks = { onNodeCreate: (_: unknown, n: any) => { seen.push(n.name); } };`,
  );
  const names = Array.from({ length: 300 }, (_, n) => `n-${n}`);
  await createNodes(db, { nodes: names.slice(0, 250).map((name) => ({ name })), actor: 'test' });
  await withDelivery(database, {}, async () => {
    await eventually(() => box('later').seen.length >= 250);
  });
  await createNodes(db, { nodes: names.slice(250).map((name) => ({ name })), actor: 'test' });
  // two processes at once share the work
  await withDelivery(database, {}, () =>
    withDelivery(database, {}, async () => {
      await eventually(() => box('later').seen.length >= 300);
    }),
  );
  expect(box('later').seen).toEqual(names);
});

test('vetoes give every reason of every barclamp at once; one that throws or hangs objects', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const one = await importBarclamp(
    db,
    'one',
    `export const hooks = { onNodeBind: (_: unknown, s: any) => ['no room in ' + s.node.name, { code: 'rack', path: 'node', message: 'wrong rack' }] };`,
  );
  const two = await importBarclamp(
    db,
    'two',
    `export const hooks = { onNodeBind: () => { throw new Error('cannot tell'); } };`,
  );
  const three = await importBarclamp(
    db,
    'three',
    `export const hooks = { onNodeBind: () => new Promise(() => {}) };`,
  );
  const loops = await importBarclamp(
    db,
    'loops',
    `export const hooks = { onNodeBind: () => { for (;;); } };`,
  );
  const four = await importBarclamp(db, 'four', `export const hooks = { onNodeBind: () => {} };`);
  const five = await importBarclamp(db, 'five', `this is not typescript`);
  await createNode(db, { name: 'n1', actor: 'test' });
  const { id: nodeId, deploymentId } = await needNode(db, 'n1');
  const refusals = await transaction(db, (tx) =>
    runVetoes(
      tx,
      {
        hook: 'onNodeBind',
        deploymentId,
        bindings: [one, two, three, loops, four, five].map((roleId) => ({ roleId, nodeId })),
      },
      { timeLimitMs: 500 },
    ),
  );
  expect(refusals).toMatchObject([
    { path: 'one-role/n1', message: 'barclamp one: no room in n1' },
    { code: 'rack', message: 'wrong rack' },
    { path: 'two-role/n1', message: 'barclamp two: cannot tell' },
    { path: 'three-role/n1', message: 'barclamp three: did not answer within 0.5 s' },
    { path: 'loops-role/n1', message: 'barclamp loops: did not answer within 0.5 s' },
    {
      path: 'five-role/n1',
      message: expect.stringMatching(/^barclamp five: its hooks cannot be loaded/),
    },
  ]);
});

test('a commit is shown to a barclamp with the bindings of its own roles', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const role = await importBarclamp(
    db,
    'commits',
    `export const hooks = { onCommit: (_: unknown, s: any) => [s.deployment.name + ' r' + s.revision + ': ' + s.bindings.map((b: any) => b.role + '@' + b.node).join()] };`,
  );
  await createNode(db, { name: 'n1', actor: 'test' });
  const { id: nodeId, deploymentId } = await needNode(db, 'n1');
  const snapshot = await db
    .insertInto('snapshot')
    .values({ deployment_id: deploymentId, revision: 1, state: 'proposed', created_by: 'test' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const ask = () =>
    transaction(db, (tx) =>
      runVetoes(tx, { hook: 'onCommit', deploymentId, snapshotId: snapshot.id }),
    );
  expect(await ask()).toEqual([]);
  await db
    .insertInto('binding')
    .values({ deployment_id: deploymentId, role_id: role, node_id: nodeId, added_revision: 1 })
    .execute();
  expect(await ask()).toMatchObject([{ message: 'barclamp commits: system r1: commits-role@n1' }]);
});

test('a hooks file with a wrong name in it is refused, and no file is no hooks', async () => {
  const path = mkdtempSync(join(folder, 'wrong-'));
  expect(await loadHooks(path)).toBeUndefined();
  writeFileSync(join(path, 'hooks.ts'), 'export const hooks = { onAktive: () => {} };');
  await expect(loadHooks(path)).rejects.toMatchObject({
    message: expect.stringMatching(/there is no hook onAktive/),
  });
});

test('a jig that is switched on is told of every node that is there, then of what happens', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const told: string[] = [];
  let failing = true;
  const jig: Jig = {
    name: 'told',
    description: 'told of nodes',
    run: () => Promise.resolve({ kind: 'succeeded' }),
    nodeCreate: (node) => {
      if (node.name === 'n-5' && failing) {
        failing = false;
        return Promise.reject(new Error('not now'));
      }
      told.push(`+${node.name}`);
      return Promise.resolve();
    },
    nodeDelete: (node) => Promise.resolve(void told.push(`-${node.name}`)),
  };
  await registerJigs(db, [jig]);
  await setJigActive(db, { jig: 'told', active: false, actor: 'anna' });
  const names = Array.from({ length: 230 }, (_, n) => `n-${n}`);
  await createNodes(db, { nodes: names.map((name) => ({ name })), actor: 'test' });
  await withDelivery(database, { jigs: [jig] }, async () => {
    expect(await setJigActive(db, { jig: 'told', active: true, actor: 'anna' })).toEqual({
      changed: true,
    });
    expect(await setJigActive(db, { jig: 'told', active: true, actor: 'anna' })).toEqual({
      changed: false,
    });
    await eventually(() => told.length >= 230);
    expect(told).toEqual(names.map((name) => `+${name}`));
    await deleteNode(db, { node: 'n-0', actor: 'test' });
    await eventually(() => told.at(-1) === '-n-0');
    await eventually(async () => (await listJigs(db)).every((row) => row.owed === 0));
  });
  await expect(setJigActive(db, { jig: 'none', active: true, actor: 'a' })).rejects.toMatchObject({
    code: 'not_found',
  });
});
