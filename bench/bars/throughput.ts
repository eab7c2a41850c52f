/**
 * Noderoles per second of one worker that tunes itself, against bare pg-boss fetching and completing
 * jobs in batches of 200 on the same PostgreSQL. Inserting counts on neither side: the noderoles are
 * there as after a commit, the jobs are there too.
 */
import { SILENT, startWorker } from '@hostwright/engine';
import { noopJig } from '@hostwright/jigs';
import { PgBoss } from 'pg-boss';
import type { Bar, BenchContext } from '../context.ts';
import { seedFleet, untilActive } from '../fleet.ts';

const BATCH = 200;

const measureBoss = async (context: BenchContext, jobs: number): Promise<number> => {
  const bare = await context.bareDatabase();
  const boss = new PgBoss({ connectionString: bare.url, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue('bench');
  for (let at = 0; at < jobs; at += 5000)
    await boss.insert(
      'bench',
      Array.from({ length: 5000 }, (_, index) => ({ data: { job: at + index } })),
    );
  const started = performance.now();
  for (let done = 0; done < jobs;) {
    const batch = await boss.fetch('bench', { batchSize: BATCH });
    if (batch.length === 0) break;
    await boss.complete(
      'bench',
      batch.map((job) => job.id),
    );
    done += batch.length;
  }
  const rate = (jobs * 1000) / (performance.now() - started);
  await boss.stop({ graceful: false });
  await bare.drop();
  return rate;
};

const measureHostwright = async (context: BenchContext, nodes: number): Promise<number> => {
  const roles = 20;
  const database = await context.freshDatabase();
  await seedFleet(database.db, { nodes, roles });
  const worker = await startWorker({ database, jigs: [noopJig], log: SILENT, name: 'bench' });
  const seconds = await untilActive(database.db, nodes * roles, () => worker.status().completed);
  const { concurrency } = worker.status();
  await worker.stop();
  await database.close();
  context.say(
    `  ${nodes} nodes x ${roles}: ${Math.round((nodes * roles) / seconds)}/s, settled on ${concurrency} at once`,
  );
  return (nodes * roles) / seconds;
};

export const bar: Bar = {
  id: 'throughput',
  title:
    '5,000 nodes x 20 noop roles: noderoles/s >= 0.8 x bare pg-boss; at 100,000 >= 0.8 of that at 10,000',
  quick: true,
  run: async (context) => {
    const small = await measureHostwright(context, 500);
    const large = await measureHostwright(context, 5000);
    const boss = await measureBoss(context, 50_000);
    const ratio = large / boss;
    const flat = large / small;
    return {
      held: ratio >= 0.8 && flat >= 0.8,
      summary: `${Math.round(large)}/s = ${ratio.toFixed(2)} x pg-boss (${Math.round(boss)}/s); ${flat.toFixed(2)} of the rate at 10,000`,
      figures: {
        perSecondAt100k: Math.round(large),
        perSecondAt10k: Math.round(small),
        pgBossPerSecond: Math.round(boss),
        ratio,
        flat,
      },
    };
  },
};
