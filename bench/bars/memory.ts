/** What the server process holds: with 10,000 nodes and nobody connected, then with 10,000 simulated agents polling. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createToken } from '@hostwright/engine';
import { startFleet } from '@hostwright/simulator';
import type { Bar, BenchContext } from '../context.ts';
import { importCore, seedFleet, settleFleet } from '../fleet.ts';
import { readMetric, startBenchServer, type BenchServer } from '../server.ts';

const NODES = 10_000;
const PATIENCE_MS = 15 * 60_000;
const REST_SECONDS = 30;

/** The most it held in these seconds. */
const watch = async (server: BenchServer, seconds: number): Promise<number> => {
  let most = server.memory();
  for (let second = 0; second < seconds; second++) {
    await sleep(1000);
    most = Math.max(most, server.memory());
  }
  return most;
};

const measureIdle = async (context: BenchContext): Promise<number> => {
  const database = await context.freshDatabase();
  await seedFleet(database.db, { nodes: NODES, roles: 5 });
  await settleFleet(database.db);
  const server = await startBenchServer(database);
  try {
    for (let round = 0; round < 20; round++)
      for (const path of ['nodes?limit=1000', 'fleet', 'noderoles?limit=1000'])
        await server.get(`/api/v2/${path}`);
    return await watch(server, 5);
  } finally {
    await server.stop();
    await database.close();
  }
};

interface Crowded {
  readonly connected: number;
  readonly seconds: number;
  readonly peak: number;
  readonly rest: number;
  readonly cpuMs: number;
}

const measureConnected = async (context: BenchContext): Promise<Crowded> => {
  const database = await context.freshDatabase();
  await importCore(database.db);
  const { secret } = await createToken(database.db, { kind: 'join', name: 'bench', userId: null });
  const server = await startBenchServer(database);
  const before = server.cpu();
  const started = performance.now();
  const fleet = startFleet({
    url: server.url,
    ca: server.ca,
    joinToken: secret,
    nodes: NODES,
    prefix: 'agent',
    connectsPerSecond: 1000,
  });
  try {
    let peak = 0;
    while (performance.now() < started + PATIENCE_MS && fleet.tally.joins < NODES) {
      await sleep(500);
      peak = Math.max(peak, server.memory());
    }
    const seconds = (performance.now() - started) / 1000;
    const cpuMs = ((server.cpu() - before) / NODES) * 1000;
    peak = Math.max(peak, await watch(server, 5));
    const rest = await watch(server, REST_SECONDS);
    // a poll that was just answered is between two waits
    let connected = 0;
    for (let look = 0; look < 20 && connected < NODES; look++) {
      connected = Math.max(connected, await readMetric(server, 'hostwright_agents'));
      await sleep(250);
    }
    return { connected, seconds, peak, rest, cpuMs };
  } finally {
    await fleet.stop();
    await server.stop();
    await database.close();
  }
};

export const bar: Bar = {
  id: 'memory',
  title: 'server memory < 512 MB with 10,000 nodes; < 1 GB with 10,000 simulated agents connected',
  quick: false,
  run: async (context) => {
    const idle = await measureIdle(context);
    context.say(`  ${Math.round(idle)} MB with ${NODES} nodes and no agents`);
    const { connected, seconds, peak, rest, cpuMs } = await measureConnected(context);
    return {
      held: idle < 512 && Math.max(rest, peak) < 1024 && connected >= NODES * 0.99,
      summary: `${Math.round(idle)} MB with 10,000 nodes; ${Math.round(rest)} MB at rest with ${connected} agents polling (${Math.round(peak)} MB while they joined, ${Math.round(seconds)} s, ${cpuMs.toFixed(1)} ms of the server each)`,
      figures: { idleMb: idle, restMb: rest, peakMb: peak, connected, joinSeconds: seconds, cpuMs },
    };
  },
};
