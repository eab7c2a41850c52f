/** A page of 100 of 10,000 nodes over HTTPS, under every kind of filter and order. */
import { createClient } from '@hostwright/api';
import { createNodeFetch } from '@hostwright/api/node-fetch';
import { node_list } from '@hostwright/api/nouns/node';
import type { Bar } from '../context.ts';
import { percentile, seedFleet, settleFleet } from '../fleet.ts';
import { startBenchServer } from '../server.ts';

const FILTERS = [
  {},
  { sort: 'name' },
  { sort: '-updatedAt' },
  { alive: true },
  { q: 'n99' },
  { label: ['rack=r7'] },
  { label: ['site=s1'], alive: true },
  { role: ['step-3'] },
  { state: ['active'] },
  { noderoleState: ['error'] },
  { deployment: ['system'], sort: '-name' },
  { q: 'nothing has this' },
] as const;

const ROUNDS = 20;

export const bar: Bar = {
  id: 'pages',
  title: 'a page of 100 of 10,000 nodes, any filter: p95 < 50 ms',
  quick: true,
  run: async (context) => {
    const database = await context.freshDatabase();
    await seedFleet(database.db, { nodes: 10_000, roles: 5 });
    await settleFleet(database.db);
    const server = await startBenchServer(database);
    const client = createClient({
      url: server.url,
      token: server.token,
      fetch: createNodeFetch({ ca: server.ca }),
    });
    const worst: { readonly filter: string; readonly p95: number }[] = [];
    for (const filter of FILTERS) {
      const ms: number[] = [];
      for (let round = 0; round < ROUNDS + 3; round++) {
        const started = performance.now();
        await client.call(node_list, { query: { limit: 100, ...filter } as never }); // the query as it is written in a URL
        if (round >= 3) ms.push(performance.now() - started);
      }
      worst.push({ filter: JSON.stringify(filter), p95: percentile(ms, 0.95) });
    }
    await server.stop();
    await database.close();
    const slowest = worst.toSorted((a, b) => b.p95 - a.p95)[0] ?? {
      filter: 'none',
      p95: Number.NaN,
    };
    for (const { filter, p95 } of worst) context.say(`  ${p95.toFixed(1)} ms ${filter}`);
    return {
      held: slowest.p95 < 50,
      summary: `slowest filter ${slowest.filter}: p95 ${slowest.p95.toFixed(1)} ms`,
      figures: { slowestP95: slowest.p95, slowestFilter: slowest.filter },
    };
  },
};
