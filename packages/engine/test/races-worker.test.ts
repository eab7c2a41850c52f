/** What a real worker does when answers get lost between it and the database. */
import {
  claimRuns,
  setAnnealer,
  SILENT,
  startWorker,
  type Jig,
  type RunHandle,
} from '@hostwright/engine';
import { noopJig } from '@hostwright/jigs';
import { eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { completeBatch } from '../src/worker/complete-batch.ts';
import { annealerWorld } from './annealer-world.ts';
import { readState, seedNoderole } from './seed-graph.ts';

const world = annealerWorld([
  { name: 'a', deadlineSeconds: 3600 },
  { name: 'talk', jig: 'talk' },
]);
const { role } = world;

test('a claim whose answer never came to the worker is taken up again, long before its deadline', async () => {
  const { database, db, node } = world;
  const id = await seedNoderole(db, { role: role('a'), node });
  await setAnnealer(db, { mode: 'manual' });
  const worker = await startWorker({
    database,
    jigs: [noopJig],
    log: SILENT,
    name: 'w',
    tickMs: 50,
  });
  const { runs } = await claimRuns(db, { workerId: worker.id, limit: 1 });
  expect(runs).toHaveLength(1);
  await setAnnealer(db, { mode: 'auto' });
  await eventually(async () => (await readState(db, id)) === 'active');
  await worker.stop();
});

test('a report that the database refuses in every form does not end the worker', async () => {
  const { db, node, worker } = world;
  await seedNoderole(db, { role: role('a'), node });
  const [run] = await worker.claim();
  if (run === undefined) throw new Error('nothing claimed');
  await sql`alter table run add constraint never_ends check (ended_at is null) not valid`.execute(
    db,
  );
  const accepted = await completeBatch(db, {
    reports: [{ runId: run.runId, token: run.token, outcome: { kind: 'succeeded' } }],
    log: SILENT,
    mayTry: () => true,
  });
  await sql`alter table run drop constraint never_ends`.execute(db);
  expect(accepted).toEqual([]);
  await worker.succeed(run);
});

test('lines that are being stored when a run ends are in its log, before the last ones', async () => {
  const { database, db, node } = world;
  const id = await seedNoderole(db, { role: role('talk'), node });
  const stored = Promise.withResolvers<RunHandle>();
  const over = Promise.withResolvers<void>();
  const jig: Jig = {
    name: 'talk',
    description: 'talks, and ends when told',
    run: async (handle) => {
      handle.log('first');
      stored.resolve(handle);
      await over.promise;
      handle.log('last');
      return { kind: 'succeeded' };
    },
  };
  const worker = await startWorker({ database, jigs: [jig], log: SILENT, name: 'w' });
  const handle = await stored.promise;
  await db.transaction().execute(async (tx) => {
    await sql`select from run where id = ${handle.runId} for update`.execute(tx);
    const waiting = () =>
      sql<{
        query: string;
      }>`select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        db,
      );
    await eventually(async () => (await waiting()).rows.length > 0);
    over.resolve();
  });
  await eventually(async () => (await readState(db, id)) === 'active');
  await worker.stop();
  const { rows } = await sql<{
    text: string;
  }>`select text from run_log where run_id = ${handle.runId} order by seq`.execute(db);
  expect(rows.map((row) => row.text)).toEqual(['first', 'last']);
});
