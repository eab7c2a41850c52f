import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, eventually } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import {
  commitSnapshot,
  importBarclamp,
  recallSnapshot,
  setNodeAlive,
  SILENT,
  startDelivery,
  transaction,
} from '@hostwright/engine';
import { handWorker } from '../hand-worker.ts';
import {
  ACTOR,
  addDeployment,
  addJigs,
  addNodes,
  deploy,
  seeNoderoles,
  writeBarclamp,
} from '../plan/fixture.ts';

test('race C8: a run that ends after a recall is told to its hooks, and counts at the next commit', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await addJigs(db);
  const file = join(mkdtempSync(join(tmpdir(), 'heard-')), 'heard');
  const heard = (): string[] =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  await importBarclamp(db, {
    folder: writeBarclamp({
      'barclamp.yml': stringify({
        name: 'told',
        version: '1',
        roles: [
          { name: 'base', jig: 'noop', flags: ['implicit'] },
          { name: 'web', jig: 'noop', requires: ['base'] },
        ],
      }),
      'hooks.ts': `import { appendFileSync } from 'node:fs';
      export const hooks = {
        onActive: (_, { role, node }) => appendFileSync(${JSON.stringify(file)}, role + '@' + node.name + '\\n'),
      };`,
    }),
    actor: ACTOR,
  });
  const [nodeId = 0] = await addNodes(db, ['n1']);
  await transaction(db, (tx) => setNodeAlive(tx, { nodeId, alive: true, reason: 'test' }));
  const { id: shop } = await addDeployment(db, 'shop');
  const delivery = await startDelivery({ database, log: SILENT, tickMs: 500 });
  try {
    const { snapshot } = await deploy(db, shop, ['web@n1']);
    const worker = await handWorker(db);
    const [run] = await worker.claim();
    const { proposal } = await recallSnapshot(db, { snapshotId: snapshot.id, actor: ACTOR });
    await worker.succeed(run);
    await eventually(() => heard().includes('base@n1'));
    expect(await seeNoderoles(db)).toMatchObject({
      'base@n1': { state: 'active' },
      'web@n1': { state: 'proposed' },
    });
    await commitSnapshot(db, { snapshotId: proposal.id, actor: ACTOR });
    await worker.finish();
    await eventually(() => heard().includes('web@n1'));
    expect(heard()).toEqual(['base@n1', 'web@n1']);
  } finally {
    await delivery.stop();
  }
});
