/** What the worker finds by itself against the best of some fixed settings, with a fast and a slow jig, once each has settled. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SILENT, startWorker, type Database } from '@hostwright/engine';
import { createTestJig, noopJig } from '@hostwright/jigs';
import type { Bar, BenchContext } from '../context.ts';
import { seedFleet } from '../fleet.ts';

const FIXED = [10, 50, 250, 1000];

interface Measured {
  readonly rate: number;
  readonly concurrency: number;
}

const rateOf = async (
  database: Database,
  how: { readonly concurrency?: number; readonly settleMs: number; readonly measureMs: number },
): Promise<Measured> => {
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

/** Work that does not run out while a fast jig is measured ten times. */
const FLEETS = {
  noop: { nodes: 4000, roles: 60, settleMs: 400, measureMs: 1000, tuneMs: 3000 },
  test: { nodes: 4500, roles: 50, settleMs: 1000, measureMs: 2000, tuneMs: 8000 },
} as const;

const better = (one: Measured, other: Measured): Measured => (other.rate > one.rate ? other : one);

/**
 * The fixed settings before the tuned worker and after it, in turn, the better of the two counting
 * for each side: tables grow and machines have moods, and what came first must not win by that.
 */
const compare = async (context: BenchContext, jig: 'noop' | 'test') => {
  const { nodes, roles, tuneMs, ...fixed } = FLEETS[jig];
  const database = await context.freshDatabase();
  await seedFleet(database.db, { nodes, roles, jig, data: { test: { delay_ms: 100 } } });
  let best: Measured = { rate: 0, concurrency: 0 };
  let tuned: Measured = { rate: 0, concurrency: 0 };
  for (const settings of [FIXED, FIXED.toReversed()]) {
    for (const concurrency of settings) {
      const found = await rateOf(database, { concurrency, ...fixed });
      context.say(`  ${jig}: ${Math.round(found.rate)}/s with ${concurrency} at once`);
      best = better(best, found);
    }
    const found = await rateOf(database, { ...fixed, settleMs: tuneMs });
    context.say(`  ${jig}: ${Math.round(found.rate)}/s tuned to ${found.concurrency}`);
    tuned = better(tuned, found);
  }
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
