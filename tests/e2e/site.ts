/** The real thing, small: server over HTTPS, a worker, simulated machines, a database of its own. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type Client } from '@hostwright/api';
import { createNodeFetch } from '@hostwright/api/node-fetch';
import { node_list } from '@hostwright/api/nouns/node';
import { user_create } from '@hostwright/api/nouns/user';
import {
  createToken,
  ensureAdminNode,
  ensureFirstUser,
  importBarclamp,
  registerJigs,
  SILENT,
  startWorker,
  type Database,
} from '@hostwright/engine';
import { openMasterKey, startServer, type StartedServer } from '@hostwright/server';
import { startFleet } from '@hostwright/simulator';
import { eventually } from '@hostwright/testkit';
import { buildConsole } from '../../packages/cli/src/up/build-console.ts';
import { startChores } from '../../packages/cli/src/worker-chores.ts';
import { openJigs } from '../../packages/cli/src/worker-jigs.ts';

const BARCLAMPS = fileURLToPath(new URL('../../barclamps', import.meta.url));
export const PASSWORD = 'correct horse battery';

export interface Site {
  readonly url: string;
  readonly client: Client;
  readonly database: Database;
  /** The server alone goes and comes back, on the same port. */
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  /** More machines join. */
  join(machines: number, prefix: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface SiteOptions {
  readonly database: Database;
  readonly machines: number;
  readonly secondsPerTask?: number;
}

export const startSite = async (options: SiteOptions): Promise<Site> => {
  const { database } = options;
  const built = await buildConsole(new AbortController().signal);
  if (!built.ok) throw new Error(built.note);
  const dataDir = mkdtempSync(join(tmpdir(), 'hostwright-e2e-'));
  const master = await openMasterKey(dataDir);
  const carried = openJigs({ database, master, log: SILENT });
  const { jigs } = carried;
  await registerJigs(database.db, jigs);
  // pages tell where a barclamp came from: not from somebody's checkout
  const barclamps = join(dataDir, 'barclamps');
  symlinkSync(BARCLAMPS, barclamps);
  for (const name of ['core', 'demo'])
    await importBarclamp(database.db, { folder: join(barclamps, name), actor: 'e2e' });
  const { userId } = await ensureFirstUser(database.db);
  await ensureAdminNode(database.db, { hostname: 'admin-node', actor: 'e2e' });
  const token = (await createToken(database.db, { kind: 'api', name: 'e2e', userId })).secret;

  const open = (port: number): Promise<StartedServer> =>
    startServer({
      database,
      config: { dataDir, host: '127.0.0.1', port, names: ['127.0.0.1'], simulator: true },
    });
  let server: StartedServer | undefined = await open(0);
  const { port } = server;
  const url = `https://127.0.0.1:${port}`;
  const ca = server.context.tls?.caPem ?? '';
  const client = createClient({ url, token, fetch: createNodeFetch({ ca }) });
  const worker = await startWorker({
    database,
    jigs,
    log: SILENT,
    name: 'e2e',
    master,
    tickMs: 500,
  });
  const chores = await startChores({ database, log: SILENT, master, jigs });
  const fleets: { stop(): Promise<void> }[] = [];

  const addMachines = async (machines: number, prefix: string): Promise<readonly string[]> => {
    const joinToken = (
      await createToken(database.db, { kind: 'join', name: prefix, userId, uses: machines })
    ).secret;
    fleets.push(
      startFleet({
        url,
        ca,
        joinToken,
        nodes: machines,
        first: fleets.length * 1000,
        prefix,
        secondsPerTask: options.secondsPerTask ?? 0.2,
      }),
    );
    return eventually(
      async () => {
        const { items } = await client.call(node_list, {
          query: { q: prefix, alive: true, sort: 'name', limit: 1000 },
        });
        return items.length >= machines ? items.map((node) => node.name) : undefined;
      },
      { what: `${machines} machines named ${prefix}`, limitSeconds: 150 },
    );
  };

  for (const [name, role] of [
    ['anna', 'admin'],
    ['otto', 'operator'],
    ['vera', 'viewer'],
  ] as const)
    await client.call(user_create, { body: { name, role, password: PASSWORD } });
  if (options.machines > 0) await addMachines(options.machines, 'rack');

  return {
    url,
    client,
    database,
    join: addMachines,
    stopServer: async () => {
      await server?.close();
      server = undefined;
    },
    startServer: async () => {
      server ??= await open(port);
    },
    close: async () => {
      for (const fleet of fleets) await fleet.stop();
      await chores.stop();
      await worker.stop();
      carried.close();
      await server?.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
