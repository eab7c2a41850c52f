import { readAnnealerSeries, SILENT, startWorker } from '@hostwright/engine';
import { noopJig } from '@hostwright/jigs';
import { createTestDatabase, eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { seedChains, seedNodes, seedRoles } from './seed-graph.ts';

test('a worker carries chains of roles on many nodes to active, in order, each once', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const roles = await seedRoles(
    db,
    ['a', 'b', 'c', 'd'].map((name) => ({ name })),
  );
  await seedChains(db, [...roles.values()], await seedNodes(db, 30));
  const worker = await startWorker({ database, jigs: [noopJig], log: SILENT, name: 'w1' });
  await eventually(
    async () =>
      (await sql`select from noderole where state <> 'active'`.execute(db)).rows.length === 0,
  );
  await worker.stop();
  const { rows } = await sql<{ runs: number; logs: number; disorder: number }>`
    select (select count(*) from run where status = 'succeeded') as runs, (select count(*) from run_log) as logs,
      (select count(*) from edge e join run p on p.noderole_id = e.parent_id join run c on c.noderole_id = e.child_id where c.started_at < p.ended_at) as disorder`.execute(
    db,
  );
  expect(rows[0]).toEqual({ runs: 120, logs: 120, disorder: 0 });
  const lanes = await sql<{
    bad: number;
  }>`select count(*) as bad from node_lane where ready <> 0 or busy`.execute(db);
  expect(lanes.rows[0]?.bad).toBe(0);
  const series = await readAnnealerSeries(db, { minutes: 10, stepSeconds: 5 });
  expect(series.succeeded).toHaveLength(120);
  expect(
    series.succeeded.reduce((sum, count) => sum + count, 0),
    'what is charted is what was done',
  ).toBe(120);
});
