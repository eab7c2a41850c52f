/** What the server process holds: with 10,000 nodes and nobody connected, then with 10,000 simulated agents polling. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createToken } from '@hostwright/engine';
import { startFleet } from '@hostwright/simulator';
import type { Bar } from '../context.ts';
import { seedFleet, settleFleet } from '../fleet.ts';
import { startBenchServer } from '../server.ts';

const AGENTS = 10_000;

export const bar: Bar = {
  id: 'memory',
  title: 'server memory < 512 MB with 10,000 nodes; < 1 GB with 10,000 simulated agents connected',
  quick: false,
  run: async (context) => {
    const database = await context.freshDatabase();
    await seedFleet(database.db, { nodes: 10_000, roles: 5 });
    await settleFleet(database.db);
    const server = await startBenchServer(database);
    const headers = { authorization: `Bearer ${server.token}` };
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    for (let round = 0; round < 20; round++)
      for (const path of ['nodes?limit=1000', 'fleet', 'noderoles?limit=1000'])
        await (await fetch(`${server.url}/api/v2/${path}`, { headers })).text();
    const idle = server.memory();
    const { secret } = await createToken(database.db, {
      kind: 'join',
      name: 'bench',
      userId: null,
      uses: AGENTS * 2,
    });
    const fleet = startFleet({
      url: server.url,
      ca: server.ca,
      joinToken: secret,
      nodes: AGENTS,
      prefix: 'agent',
      connectsPerSecond: 150,
    });
    let peak = idle;
    const until = performance.now() + 300_000;
    while (performance.now() < until && fleet.connections() < AGENTS * 0.98) {
      peak = Math.max(peak, server.memory());
      await sleep(1000);
    }
    for (let second = 0; second < 20; second++) {
      peak = Math.max(peak, server.memory());
      await sleep(1000);
    }
    const connected = fleet.connections();
    await fleet.stop();
    await server.stop();
    await database.close();
    return {
      held: idle < 512 && peak < 1024 && connected >= AGENTS * 0.98,
      summary: `${Math.round(idle)} MB with 10,000 nodes; at most ${Math.round(peak)} MB with ${connected} agents connected`,
      figures: { idleMb: idle, peakMb: peak, connected },
    };
  },
};
