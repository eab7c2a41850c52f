/** Scrolling 10,000 nodes, and a matrix of 1,000 nodes by 30 roles. */
import type { Bar } from '../context.ts';
import { openPage, openTab, quantile, scroll, traceFrames } from '../console.ts';

const MOST = 16;

export const bar: Bar = {
  id: 'console-scroll',
  title: 'console: main-thread work per frame while scrolling, p95 under 16 ms (fleet and matrix)',
  quick: true,
  run: async () => {
    const tab = await openTab();
    try {
      await openPage(tab, '/fleet', 'hostwright:fleet');
      const fleet = await traceFrames(tab, () => scroll(tab, { x: 800, y: 600 }));
      await openPage(tab, '/deployments/site-a', 'hostwright:matrix');
      const matrix = await traceFrames(tab, () => scroll(tab, { x: 700, y: 600 }));
      const [p95, matrixP95] = [quantile(fleet, 0.95), quantile(matrix, 0.95)];
      return {
        held: fleet.length > 30 && matrix.length > 30 && p95 < MOST && matrixP95 < MOST,
        summary: `fleet p95 ${p95.toFixed(1)} ms of ${fleet.length} frames, matrix p95 ${matrixP95.toFixed(1)} ms of ${matrix.length} frames`,
        figures: {
          fleetP50Ms: Number(quantile(fleet, 0.5).toFixed(2)),
          fleetP95Ms: Number(p95.toFixed(2)),
          fleetFrames: fleet.length,
          matrixP50Ms: Number(quantile(matrix, 0.5).toFixed(2)),
          matrixP95Ms: Number(matrixP95.toFixed(2)),
          matrixFrames: matrix.length,
        },
      };
    } finally {
      await tab.close();
    }
  },
};
