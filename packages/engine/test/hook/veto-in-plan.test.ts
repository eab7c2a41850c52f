import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import {
  bindRoles,
  commitSnapshot,
  explainBinding,
  importBarclamp,
  proposeSnapshot,
} from '@hostwright/engine';
import { ACTOR, addDeployment, addJigs, addNodes, writeBarclamp } from '../plan/fixture.ts';

test("a barclamp's objections stop a bind and a commit, with nothing half done", async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await addJigs(db);
  const folder = writeBarclamp({
    'barclamp.yml': stringify({
      name: 'picky',
      version: '1',
      roles: [{ name: 'web', jig: 'noop' }],
    }),
    'hooks.ts': `
      import type { BarclampHooks } from '@hostwright/engine';
      export const hooks: BarclampHooks = {
        onNodeBind: (_, { node, role }) => (node.name === 'small' ? [role + ' needs a large node', 'and a fast one'] : []),
        onCommit: (_, { bindings }) => (bindings.length < 2 ? ['needs two nodes'] : []),
      };`,
  });
  await importBarclamp(db, { folder, actor: ACTOR });
  await addNodes(db, ['small', 'large', 'larger']);
  const { id: deploymentId } = await addDeployment(db, 'shop');
  const { id: snapshotId } = await proposeSnapshot(db, { deploymentId, actor: ACTOR });
  const bind = (...nodes: string[]) =>
    bindRoles(db, {
      snapshotId,
      actor: ACTOR,
      bindings: nodes.map((node) => ({ role: 'web', node })),
    });
  expect(await bind('large', 'small')).toMatchObject({
    bound: 0,
    refusals: [
      { path: 'web/small', message: 'barclamp picky: web needs a large node' },
      { path: 'web/small', message: 'barclamp picky: and a fast one' },
    ],
  });
  expect(await bind('large')).toMatchObject({ bound: 1, refusals: [] });
  await expect(commitSnapshot(db, { snapshotId, actor: ACTOR })).rejects.toMatchObject({
    code: 'refused',
    refusals: [{ message: 'barclamp picky: needs two nodes' }],
  });
  expect(await db.selectFrom('noderole').select('id').execute()).toEqual([]);
  await bind('larger');
  await commitSnapshot(db, { snapshotId, actor: ACTOR });
  expect(await db.selectFrom('noderole').select('id').execute()).toHaveLength(2);
});

test('what a barclamp would object to is shown while somebody drags, for each role apart', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await addJigs(db);
  const barclamps = {
    picky: {
      roles: [
        { name: 'base', jig: 'noop', flags: ['implicit'] },
        { name: 'web', jig: 'noop', requires: ['base'] },
        { name: 'plain', jig: 'noop' },
      ],
      hook: `(_, { node, role }) => (role === 'base' && node.name === 'small' ? ['base needs a large node'] : [])`,
    },
    silent: {
      roles: ['one', 'two'].map((name) => ({ name, jig: 'noop' })),
      hook: `() => new Promise(() => {})`,
    },
  };
  for (const [name, { roles, hook }] of Object.entries(barclamps))
    await importBarclamp(db, {
      folder: writeBarclamp({
        'barclamp.yml': stringify({ name, version: '1', roles }),
        'hooks.ts': `export const hooks = { onNodeBind: ${hook} };`,
      }),
      actor: ACTOR,
    });
  await addNodes(db, ['small', 'large']);
  const { id: deploymentId } = await addDeployment(db, 'shop');
  const ask = async (node: string) => {
    const explained = await explainBinding(db, { deploymentId, nodes: [node] });
    return Object.fromEntries(
      explained.map(({ role, refusals }) => [role, refusals.map((refusal) => refusal.message)]),
    );
  };
  const late = ['barclamp silent: did not answer within 1 s'];
  const objection = ['barclamp picky: base needs a large node'];
  expect(await ask('small')).toEqual({
    base: objection,
    web: objection,
    plain: [],
    one: late,
    two: late,
  });
  expect(await ask('large')).toMatchObject({ base: [], web: [], plain: [], two: late });
  expect(await db.selectFrom('binding').select('id').execute()).toEqual([]);
});
