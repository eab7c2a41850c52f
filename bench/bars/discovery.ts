/** What it costs to discover machines: alone, a thousand at once, and a flood of reports. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createToken, type Database } from '@hostwright/engine';
import { identityOf, inventoryOf, openWire, readLines, startFleet } from '@hostwright/simulator';
import { sql } from 'kysely';
import type { Bar } from '../context.ts';
import { importCore, percentile } from '../fleet.ts';
import { readMetric, startBenchServer, startBenchWorker, type BenchServer } from '../server.ts';

const MACHINES = 1000;
const ALONE = 60;
const POSTS = 10_000;
const POSTERS = 100;
const PATIENCE_MS = 5 * 60_000;
const REQUESTS = ['join', 'hello', 'inventory', 'live'] as const;

/** Registered, its hardware known, its discovery noderoles active. */
const countDiscovered = async ({ db }: Database): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from node n where n.discovered_at is not null and n.alive
      and exists (select from noderole w where w.node_id = n.id)
      and not exists (select from noderole w where w.node_id = n.id and w.state <> 'active')`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
};

const requestSeconds = async (server: BenchServer): Promise<number> => {
  let sum = 0;
  for (const name of REQUESTS)
    sum += await readMetric(server, `hostwright_request_seconds_sum{operation="agent_${name}"}`);
  return sum;
};

interface Discovered {
  readonly seconds: number;
  /** Summed over the requests of one machine. */
  readonly requestMs: number;
  readonly cpuMs: number;
}

interface Site {
  readonly database: Database;
  readonly server: BenchServer;
  readonly joinToken: string;
}

const discover = async (
  { database, server, joinToken }: Site,
  options: { readonly first: number; readonly nodes: number; readonly perSecond: number },
): Promise<Discovered> => {
  const { first, nodes } = options;
  const before = { cpu: server.cpu(), requests: await requestSeconds(server) };
  const wanted = (await countDiscovered(database)) + nodes;
  const started = performance.now();
  const fleet = startFleet({
    url: server.url,
    ca: server.ca,
    joinToken,
    first,
    nodes,
    connectsPerSecond: options.perSecond,
  });
  try {
    while ((await countDiscovered(database)) < wanted) {
      if (performance.now() > started + PATIENCE_MS) throw new Error('they never came in');
      await sleep(100);
    }
    const seconds = (performance.now() - started) / 1000;
    return {
      seconds,
      requestMs: (((await requestSeconds(server)) - before.requests) / nodes) * 1000,
      cpuMs: ((server.cpu() - before.cpu) / nodes) * 1000,
    };
  } finally {
    await fleet.stop();
  }
};

/** Each of a few machines reports its hardware again and again, a little different each time. */
const flood = async ({ server, joinToken }: Site): Promise<{ seconds: number; pageMs: number }> => {
  const wire = openWire({ url: server.url, ca: server.ca });
  const seed = 7;
  const report = async (index: number): Promise<void> => {
    const identity = identityOf(seed, index, 'flood');
    const bootId = `flood-${index}`;
    const say = async (name: string, token: string, body: object): Promise<string> => {
      const { status, body: said } = await wire.ask({
        method: 'POST',
        path: `/agent/v1/${name}`,
        token,
        bootId,
        body: JSON.stringify(body),
      });
      if (status !== 200) throw new Error(`${name} was answered ${status}: ${said.toString()}`);
      return readLines(said).get('token') ?? '';
    };
    const { hostname, systemUuid, serial, macs } = identity;
    const token = await say('join', joinToken, {
      hostname,
      boot_id: bootId,
      system_uuid: systemUuid,
      serial,
      macs,
    });
    await say('hello', token, { boot_id: bootId });
    for (let post = 0; post < POSTS / POSTERS; post++)
      await say('inventory', token, { ...inventoryOf(seed, index, 'flood'), temperature: post });
  };
  const pages: number[] = [];
  const over = new AbortController();
  const look = (async () => {
    while (!over.signal.aborted) {
      const from = performance.now();
      await server.get('/api/v2/nodes?limit=100');
      pages.push(performance.now() - from);
      await sleep(100);
    }
  })();
  const started = performance.now();
  try {
    await Promise.all(Array.from({ length: POSTERS }, (_, index) => report(index)));
    return { seconds: (performance.now() - started) / 1000, pageMs: percentile(pages, 0.95) };
  } finally {
    over.abort();
    await look;
    wire.close();
  }
};

export const bar: Bar = {
  id: 'discovery',
  title:
    'per machine discovered < 300 ms of the server over all requests; 1,000 machines in 60 s; 10,000 discovery posts a minute',
  quick: true,
  run: async (context) => {
    const database = await context.freshDatabase();
    await importCore(database.db);
    const { secret } = await createToken(database.db, {
      kind: 'join',
      name: 'bench',
      userId: null,
    });
    const worker = await startBenchWorker(database);
    const server = await startBenchServer(database);
    const site: Site = { database, server, joinToken: secret };
    try {
      const alone = await discover(site, { first: 0, nodes: ALONE, perSecond: 10 });
      const crowd = await discover(site, { first: ALONE, nodes: MACHINES, perSecond: 1000 });
      const posts = await flood(site);
      return {
        held:
          alone.requestMs < 300 && crowd.cpuMs < 300 && crowd.seconds <= 60 && posts.seconds <= 60,
        summary: `${alone.requestMs.toFixed(0)} ms over all requests of one machine (${crowd.requestMs.toFixed(0)} ms in the crowd, ${crowd.cpuMs.toFixed(1)} ms of processor); ${MACHINES} machines in ${crowd.seconds.toFixed(1)} s; ${POSTS} posts in ${posts.seconds.toFixed(1)} s, pages meanwhile p95 ${posts.pageMs.toFixed(0)} ms`,
        figures: {
          requestMs: alone.requestMs,
          crowdRequestMs: crowd.requestMs,
          cpuMs: crowd.cpuMs,
          crowdSeconds: crowd.seconds,
          postSeconds: posts.seconds,
          pageP95Ms: posts.pageMs,
        },
      };
    } finally {
      await server.stop();
      await worker.stop();
      await database.close();
    }
  },
};
