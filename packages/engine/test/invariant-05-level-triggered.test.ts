import {
  grantConsent,
  recordEvidence,
  resumeDeployment,
  retryNoderoles,
  SILENT,
  startWorker,
  transaction,
  type Jig,
} from '@hostwright/engine';
import { eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { test } from 'vitest';
import { wrongLanes, wrongPending } from './hand-worker.ts';
import { livesOf, type World } from './model.ts';

const jig: Jig = {
  name: 'noop',
  description: 'succeeds, also with evidence',
  run: () => Promise.resolve({ kind: 'succeeded' }),
  resume: () => Promise.resolve({ kind: 'succeeded' }),
};

/** All hand workers die; one real worker must bring everything to rest, whatever was left lying about. */
const settle = async (world: World): Promise<readonly unknown[]> => {
  const { db, database } = world;
  // what no event tells of: counters wrong, notifications lost
  await sql`update node_lane set ready = 0, busy = false, queued = 0`.execute(db);
  await sql`update worker set lease_until = now() - interval '1 second'`.execute(db);
  await sql`update node set alive = true`.execute(db);
  const { rows } = await sql<{ id: number }>`select id from deployment where system`.execute(db);
  await resumeDeployment(db, { deploymentId: rows[0]?.id ?? 0, actor: 'anna' });
  for (const node of world.nodes)
    await transaction(db, (tx) => recordEvidence(tx, { nodeId: node, key: 'ack' }));
  const worker = await startWorker({ database, jigs: [jig], log: SILENT, name: 'w', tickMs: 25 });
  const left = async () =>
    (
      await sql<{ id: number; state: string; holds: string[]; destructive: boolean }>`
      select w.id, w.state, w.holds, r.destructive from noderole w join role r on r.id = w.role_id where w.state <> 'active'`.execute(
        db,
      )
    ).rows;
  try {
    await eventually(async () => {
      for (const row of await left()) {
        if (row.holds.includes('consent'))
          await grantConsent(db, { noderoleId: row.id, actor: 'anna' });
        if (row.state === 'error')
          await retryNoderoles(db, { noderoleIds: [row.id], actor: 'anna' });
      }
      return (
        (await left()).length === 0 &&
        (
          await sql`select from run where status in ('queued', 'running', 'waiting', 'cancelling')`.execute(
            db,
          )
        ).rows.length === 0
      );
    });
  } finally {
    await worker.stop();
  }
  return [...(await wrongLanes(db)), ...(await wrongPending(db))];
};

test('invariant 5: from any point, with every notification lost, a tick brings all to rest', async () => {
  await livesOf({ lives: 3, length: 25, check: () => Promise.resolve([]), atEnd: settle });
});
