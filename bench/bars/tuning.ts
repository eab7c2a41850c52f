/** What the worker finds by itself against the best of some fixed settings, with a fast and a slow jig, once each has settled. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SILENT, startWorker, type Database } from '@hostwright/engine';
import { createTestJig, noopJig } from '@hostwright/jigs';
import type { Bar, BenchContext } from '../context.ts';
import { seedFleet } from '../fleet.ts';

const FIXED = [10, 50, 250, 1000];

const rateOf = async (
  database: Database,
  how: { readonly concurrency?: number; readonly settleMs: number; readonly measureMs: number },
) => {
  const worker = await startWorker({
    database,
    jigs: [noopJig, createTestJig()],
    log: SILENT,
    name: 'bench',
    ...(how.concurrency !== undefined && { concurrency: how.concurrency }),
  });
  await sleep(how.settleMs);
  const before = worker.status().completed;
  const started = performance.now();
  await sleep(how.measureMs);
  const rate = ((worker.status().completed - before) * 1000) / (performance.now() - started);
  const { concurrency } = worker.status();
  await worker.drain();
  await worker.stop();
  return { rate, concurrency };
};

const compare = async (context: BenchContext, jig: 'noop' | 'test') => {
  const database = await context.freshDatabase();
  await seedFleet(database.db, { nodes: 3000, roles: 50, jig, data: { test: { delay_ms: 100 } } });
  let best = { rate: 0, concurrency: 0 };
  for (const concurrency of FIXED) {
    const found = await rateOf(database, { concurrency, settleMs: 1000, measureMs: 2500 });
    context.say(`  ${jig}: ${Math.round(found.rate)}/s with ${concurrency} at once`);
    if (found.rate > best.rate) best = found;
  }
  const tuned = await rateOf(database, { settleMs: 8000, measureMs: 3000 });
  context.say(`  ${jig}: ${Math.round(tuned.rate)}/s tuned to ${tuned.concurrency}`);
  await database.close();
  return { best, tuned, share: tuned.rate / best.rate };
};

export const bar: Bar = {
  id: 'tuning',
  title: 'self-tuning within 20 % of the best fixed setting, for a fast and a slow jig',
  quick: true,
  run: async (context) => {
    const fast = await compare(context, 'noop');
    const slow = await compare(context, 'test');
    return {
      held: fast.share >= 0.8 && slow.share >= 0.8,
      summary: `fast: ${fast.share.toFixed(2)} of the best (${fast.tuned.concurrency} against ${fast.best.concurrency}); slow: ${slow.share.toFixed(2)} (${slow.tuned.concurrency} against ${slow.best.concurrency})`,
      figures: {
        fastShare: fast.share,
        slowShare: slow.share,
        fastPerSecond: fast.tuned.rate,
        slowPerSecond: slow.tuned.rate,
        fastConcurrency: fast.tuned.concurrency,
        slowConcurrency: slow.tuned.concurrency,
      },
    };
  },
};
