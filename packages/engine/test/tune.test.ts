import { expect, test } from 'vitest';
import { createTuner } from '../src/worker/tune.ts';

/** Runs per second at each setting, as different jigs and machines have it. */
const PLANTS = {
  'a slow jig: more is better': (at: number) => at * 10,
  'a fast jig: enough at 250': (at: number) => Math.min(at, 250) * 40,
  'one that is better at 40 than at more': (at: number) => (at <= 40 ? at * 20 : 32_000 / at),
  'one that does no more than ten at once': () => 500,
} as const;

/** Lets a tuner work for so long; what it settled on, and how much of the best it did meanwhile. */
const simulate = (plant: (at: number) => number, seconds: number) => {
  const tuner = createTuner();
  const best = Math.max(...[10, 20, 40, 80, 160, 250, 320, 640, 1000].map(plant));
  let done = 0;
  for (let now = 0; now < seconds * 1000; now += 20) {
    const more = (plant(tuner.concurrency) * 20) / 1000;
    done += more;
    tuner.observe(now, more, true);
  }
  return { rate: plant(tuner.concurrency) / best, share: done / seconds / best };
};

for (const [name, plant] of Object.entries(PLANTS))
  test(`the tuner comes near the best setting: ${name}`, () => {
    expect(simulate(plant, 30).rate).toBeGreaterThan(0.8);
  });

test('a fleet that takes ten seconds is not spent on finding the setting', () => {
  expect(simulate(PLANTS['a fast jig: enough at 250'], 10).share).toBeGreaterThan(0.9);
});

test('without work waiting nothing is learnt and nothing changes', () => {
  const tuner = createTuner();
  for (let now = 0; now < 60_000; now += 100) tuner.observe(now, 50, false);
  expect(tuner.concurrency).toBe(10);
});
