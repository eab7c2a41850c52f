/** From a parent's end to its child's start, with 100,000 noderoles at rest and nothing else to do. */
import { requestRuns, SILENT, startWorker, transaction } from '@hostwright/engine';
import { noopJig } from '@hostwright/jigs';
import { sql } from 'kysely';
import type { Bar } from '../context.ts';
import { percentile, seedFleet, settleFleet } from '../fleet.ts';

const SAMPLES = 300;

export const bar: Bar = {
  id: 'latency',
  title:
    'parent done -> child started: p99 < 50 ms with 100,000 noderoles in the database and a quiet queue',
  quick: true,
  run: async (context) => {
    const database = await context.freshDatabase();
    const { db } = database;
    await seedFleet(db, { nodes: 5000, roles: 20 });
    await settleFleet(db);
    const { rows: pairs } = await sql<{ parent: number; child: number }>`
      select e.parent_id as parent, e.child_id as child from edge e join noderole c on c.id = e.child_id where c.cohort = 10 order by c.node_id limit ${SAMPLES}`.execute(
      db,
    );
    const worker = await startWorker({ database, jigs: [noopJig], log: SILENT, name: 'bench' });
    for (const { parent, child } of pairs) {
      await transaction(db, (tx) =>
        requestRuns(tx, { noderoleIds: [parent, child], cause: 'bench', actor: 'bench' }),
      );
      for (;;) {
        const { rows } = await sql<{
          state: string;
          run_count: number;
        }>`select state, run_count from noderole where id = ${child}`.execute(db);
        if (rows[0]?.state === 'active' && rows[0].run_count === 1) break;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    await worker.stop();
    // both are the starts of their transactions, so this holds the whole of the parent's report too
    const { rows } = await sql<{ ms: string }>`
      select extract(epoch from c.started_at - p.ended_at) * 1000 as ms from edge e
      join run p on p.noderole_id = e.parent_id join run c on c.noderole_id = e.child_id where c.started_at >= p.ended_at`.execute(
      db,
    );
    await database.close();
    const ms = rows.map((row) => Number(row.ms));
    const p99 = percentile(ms, 0.99);
    return {
      held: p99 < 50 && ms.length >= SAMPLES,
      summary: `p50 ${percentile(ms, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms over ${ms.length}`,
      figures: { p50: percentile(ms, 0.5), p99, samples: ms.length },
    };
  },
};
