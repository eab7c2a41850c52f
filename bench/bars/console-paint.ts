/** How soon 10,000 nodes are on screen in a browser that has never seen the console, and for how much JavaScript. */
import type { Bar } from '../context.ts';
import { javaScriptSize, NODES, openPage, openTab } from '../console.ts';

export const bar: Bar = {
  id: 'console-paint',
  title: 'console: first useful paint of 10,000 nodes under 1.5 s, JavaScript under 250 KB gzipped',
  quick: true,
  run: async () => {
    const paints: number[] = [];
    let bytes = 0;
    for (let turn = 0; turn < 3; turn += 1) {
      const tab = await openTab();
      try {
        paints.push(await openPage(tab, '/fleet', 'hostwright:fleet'));
        bytes = await javaScriptSize(tab.page);
      } finally {
        await tab.close();
      }
    }
    const paint = Math.round(paints.toSorted((a, b) => a - b)[1] ?? 0);
    const kilobytes = Math.round(bytes / 1024);
    return {
      held: paint < 1500 && kilobytes < 250,
      summary: `${paint} ms (median of 3, empty cache), ${kilobytes} KB of JavaScript gzipped`,
      figures: {
        nodes: NODES,
        paintMs: paint,
        worstPaintMs: Math.round(Math.max(...paints)),
        javaScriptKb: kilobytes,
      },
    };
  },
};
