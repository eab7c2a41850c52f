import { randomBytes } from 'node:crypto';
import { masterKey, SILENT, startWorker } from '@hostwright/engine';
import { createTestDatabase, eventually } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { readState, seedNoderole, seedNodes, seedRoles } from '../../engine/test/seed-graph.ts';
import { openJigs } from '../src/worker-jigs.ts';

test('an async run of the test jig ends when its delay is over, not at its deadline', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const roles = await seedRoles(db, [
    { name: 'patient', jig: 'test', data: { test: { async: true, delay_ms: 50 } } },
  ]);
  const [node = 0] = await seedNodes(db, 1);
  const id = await seedNoderole(db, { role: roles.get('patient') ?? 0, node });
  await db
    .insertInto('attrib')
    .columns(['barclamp_id', 'role_id', 'name', 'path'])
    .expression((eb) =>
      eb
        .selectFrom('role')
        .select([
          'barclamp_id',
          'id',
          eb.val('patient-test').as('name'),
          eb.val('test').as('path'),
        ]),
    )
    .execute();
  const master = masterKey(randomBytes(32));
  const carried = openJigs({ database, master, log: SILENT });
  const worker = await startWorker({
    database,
    jigs: carried.jigs,
    log: SILENT,
    name: 'w',
    master,
  });
  try {
    await eventually(async () => (await readState(db, id)) === 'active');
    const waited = await db.selectFrom('evidence').select(['key', 'taken_at']).execute();
    expect(waited, 'it did wait').toMatchObject([{ key: 'test-done' }]);
    expect(waited[0]?.taken_at).not.toBeNull();
  } finally {
    await worker.stop();
    carried.close();
  }
});
