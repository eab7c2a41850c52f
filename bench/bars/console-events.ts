/** 1,000 events a second on the fleet of 10,000: no frame over 100 ms, the tab under 300 MB. */
import type { Bar } from '../context.ts';
import { openPage, openTab, quantile, tabMemory, traceFrames, watchFrames } from '../console.ts';

const RATE = 1000;

export const bar: Bar = {
  id: 'console-events',
  title: 'console: 1,000 events/s on 10,000 nodes with no frame over 100 ms, tab under 300 MB',
  quick: true,
  run: async (context) => {
    const seconds = context.quick ? 10 : 30;
    const tab = await openTab();
    try {
      await openPage(tab, '/fleet', 'hostwright:fleet');
      tab.replay.setRate(RATE);
      await watchFrames(tab, 2);
      const before = tab.replay.sent();
      const seen = await watchFrames(tab, seconds);
      const rate = (tab.replay.sent() - before) / seconds;
      const work = await traceFrames(tab, async () => void (await watchFrames(tab, 3)));
      const memory = await tabMemory(tab);
      return {
        held: seen.longest < 100 && rate > RATE * 0.95 && memory.own < 300,
        summary: `longest frame ${seen.longest.toFixed(0)} ms of ${seen.frames} at ${Math.round(rate)} events/s; main thread p95 ${quantile(work, 0.95).toFixed(1)} ms per frame; ${Math.round(memory.own)} MB`,
        figures: {
          eventsPerSecond: Math.round(rate),
          longestFrameMs: Math.round(seen.longest),
          frames: seen.frames,
          workP95Ms: Number(quantile(work, 0.95).toFixed(2)),
          workMaxMs: Number(Math.max(0, ...work).toFixed(2)),
          tabOwnMb: Math.round(memory.own),
          tabResidentMb: Math.round(memory.resident),
        },
      };
    } finally {
      await tab.close();
    }
  },
};
