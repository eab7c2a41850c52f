/**
 * Noderoles per second of one worker that tunes itself, against as many jobs of bare pg-boss on the
 * same PostgreSQL in batches of 200. Making ready counts on both sides: a noderole becomes ready when
 * its parent has ended, inside the measured time (all but the first of twenty); a job becomes ready by
 * its insert, just before it is fetched, which is how pg-boss is fastest: with all jobs inserted first
 * it reached half of that. Its rate without inserts, and over its first jobs only, are shown beside it.
 */
import { SILENT, startWorker } from '@hostwright/engine';
import { noopJig } from '@hostwright/jigs';
import { PgBoss } from 'pg-boss';
import type { Bar, BenchContext } from '../context.ts';
import { seedFleet, untilActive } from '../fleet.ts';

const BATCH = 200;
const NODES = 5000;
const ROLES = 20;
/** A machine that is shared with others is faster in one second than in the next: each in turn, and medians. */
const ROUNDS = 2;

const median = (figures: readonly number[]): number => {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[Math.floor(index)] ?? 0;
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2;
};

/** The jobs of the shorter measurement: pg-boss gets slower with what it has done. */
const FIRST = 20_000;

interface BossRates {
  readonly withInsert: number;
  readonly withoutInsert: number;
  readonly ofFirst: number;
}

const measureBoss = async (context: BenchContext, jobs: number): Promise<BossRates> => {
  const bare = await context.bareDatabase();
  const boss = new PgBoss({ connectionString: bare.url, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue('bench');
  let insertMs = 0;
  let workMs = 0;
  let firstMs = 0;
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
    if (done < FIRST) firstMs = insertMs + workMs;
  }
  await boss.stop({ graceful: false });
  await bare.drop();
  return {
    withInsert: (jobs * 1000) / (insertMs + workMs),
    withoutInsert: (jobs * 1000) / workMs,
    ofFirst: (FIRST * 1000) / firstMs,
  };
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
    const small = await measureHostwright(context, 500);
    const bosses = [await measureBoss(context, NODES * ROLES)];
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rates.push(await measureHostwright(context, NODES));
      bosses.push(await measureBoss(context, NODES * ROLES));
    }
    const large = median(rates);
    const boss = median(bosses.map((rates) => rates.withInsert));
    const bare = median(bosses.map((rates) => rates.withoutInsert));
    const first = median(bosses.map((rates) => rates.ofFirst));
    const ratio = large / boss;
    const flat = large / small;
    return {
      held: ratio >= 0.8 && flat >= 0.8,
      summary: `${Math.round(large)}/s = ${ratio.toFixed(2)} x pg-boss (${Math.round(boss)}/s insert + fetch + complete; ${Math.round(bare)}/s without insert, ${Math.round(first)}/s over the first ${FIRST}); ${flat.toFixed(2)} of the rate at 10,000`,
      figures: {
        perSecondAt100k: large,
        perSecondAt10k: small,
        pgBoss: boss,
        pgBossWithoutInsert: bare,
        pgBossFirst: first,
        ratio,
        ratioWithoutInsert: large / bare,
        flat,
      },
    };
  },
};
