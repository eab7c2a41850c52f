import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { bindRoles, commitSnapshot, importBarclamp, proposeSnapshot } from '@hostwright/engine';
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
