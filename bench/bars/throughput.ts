/**
 * Noderoles per second of one worker that tunes itself, against bare pg-boss on the same PostgreSQL
 * in batches of 200. Making ready counts on both sides: a noderole becomes ready when its parent has
 * ended, inside the measured time (all but the first of twenty); a job becomes ready by its insert.
 * What pg-boss does without its inserts is shown beside it.
 */
import { SILENT, startWorker } from '@hostwright/engine';
import { noopJig } from '@hostwright/jigs';
import { PgBoss } from 'pg-boss';
import type { Bar, BenchContext } from '../context.ts';
import { seedFleet, untilActive } from '../fleet.ts';

const BATCH = 200;
const ROLES = 20;

interface BossRates {
  readonly withInsert: number;
  readonly withoutInsert: number;
}

const measureBoss = async (context: BenchContext, jobs: number): Promise<BossRates> => {
  const bare = await context.bareDatabase();
  const boss = new PgBoss({ connectionString: bare.url, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue('bench');
  let insertMs = 0;
  let workMs = 0;
  for (let done = 0; done < jobs; done += BATCH) {
    const started = performance.now();
    await boss.insert(
      'bench',
      Array.from({ length: BATCH }, (_, index) => ({ data: { job: done + index } })),
    );
    const inserted = performance.now();
    const batch = await boss.fetch('bench', { batchSize: BATCH });
    await boss.complete(
      'bench',
      batch.map((job) => job.id),
    );
    insertMs += inserted - started;
    workMs += performance.now() - inserted;
  }
  await boss.stop({ graceful: false });
  await bare.drop();
  return { withInsert: (jobs * 1000) / (insertMs + workMs), withoutInsert: (jobs * 1000) / workMs };
};

const measureHostwright = async (context: BenchContext, nodes: number): Promise<number> => {
  const database = await context.freshDatabase();
  await seedFleet(database.db, { nodes, roles: ROLES });
  const worker = await startWorker({ database, jigs: [noopJig], log: SILENT, name: 'bench' });
  const seconds = await untilActive(database.db, nodes * ROLES, () => worker.status().completed);
  const { concurrency } = worker.status();
  await worker.stop();
  await database.close();
  const rate = (nodes * ROLES) / seconds;
  context.say(
    `  ${nodes} nodes x ${ROLES}: ${Math.round(rate)}/s, settled on ${concurrency} at once`,
  );
  return rate;
};

export const bar: Bar = {
  id: 'throughput',
  title:
    '5,000 nodes x 20 noop roles: noderoles/s >= 0.8 x bare pg-boss; at 100,000 >= 0.8 of that at 10,000',
  quick: true,
  run: async (context) => {
    const before = await measureBoss(context, 20_000);
    const small = await measureHostwright(context, 500);
    const large = await measureHostwright(context, 5000);
    const after = await measureBoss(context, 20_000);
    const boss = (before.withInsert + after.withInsert) / 2;
    const bare = (before.withoutInsert + after.withoutInsert) / 2;
    const ratio = large / boss;
    const flat = large / small;
    return {
      held: ratio >= 0.8 && flat >= 0.8,
      summary: `${Math.round(large)}/s = ${ratio.toFixed(2)} x pg-boss (${Math.round(boss)}/s insert + fetch + complete; ${Math.round(bare)}/s without insert); ${flat.toFixed(2)} of the rate at 10,000`,
      figures: {
        perSecondAt100k: large,
        perSecondAt10k: small,
        pgBoss: boss,
        pgBossWithoutInsert: bare,
        ratio,
        ratioWithoutInsert: large / bare,
        flat,
      },
    };
  },
};
