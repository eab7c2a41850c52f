/** Starts everything in the order in which each part needs the one before. Each step says how it is undone. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { token_create } from '@hostwright/api/nouns/token';
import { openOwnCa } from '@hostwright/server';
import { clientOf } from '../connect.ts';
import { writeLocalContext, type Context } from '../context.ts';
import { defaultDataDir } from '../data-dir.ts';
import { RACK_LABEL } from '../find-first-free.ts';
import { listenArguments, localName, type ListenOptions } from '../listen-options.ts';
import { readMasterKey } from '../master-key.ts';
import { openMigrated } from '../process-database.ts';
import { NO_AGENT, readyAdminAgent } from './admin-agent.ts';
import type { Running } from './banner.ts';
import { buildConsole } from './build-console.ts';
import { openDatabaseServer } from './embedded-postgres.ts';
import { keepPostgres } from './keep-postgres.ts';
import { prepare } from './prepare.ts';
import { seedDemo } from './seed-demo.ts';
import { SERVER_ENVIRONMENT } from '../server-memory.ts';
import type { Child, ChildSpec } from './supervise.ts';

export interface UpOptions {
  readonly folder: string;
  readonly listen: ListenOptions;
  /** Machines of the simulated rack; 0: none. */
  readonly simulated: number;
  readonly buildConsole: boolean;
}

export interface UpSurroundings {
  readonly signal: AbortSignal;
  /** Run in the opposite order when everything stops. */
  undo(step: () => Promise<void> | void): void;
  keep(spec: ChildSpec): Child;
  tell(text: string): void;
}

const PREFIX = 'sim';

const openDatabases = async (options: UpOptions, around: UpSurroundings) => {
  const { folder } = options;
  const { url, postgres } = await openDatabaseServer(folder);
  if (postgres !== undefined)
    around.undo(
      keepPostgres(postgres, {
        home: folder,
        signal: around.signal,
        tell: (text) => around.tell(text),
        onLost: () => {
          around.tell(
            `PostgreSQL ended and does not start again; its log is ${join(folder, 'postgres.log')}`,
          );
          process.kill(process.pid, 'SIGTERM');
        },
      }),
    );
  const database = await openMigrated({
    url,
    name: 'hostwright-up',
    maxConnections: 4,
    onIdleError: () => {},
  });
  around.undo(() => database.close());
  return { url, database };
};

const startSimulator = async (
  options: UpOptions & { readonly context: Context },
  around: UpSurroundings,
): Promise<string | undefined> => {
  const { folder, simulated } = options;
  const simulator = around.keep({
    name: 'simulator',
    args: [
      'simulate',
      `--nodes=${simulated}`,
      '--first=0',
      `--prefix=${PREFIX}`,
      '--seconds-per-task=1.5',
      `--label=${RACK_LABEL}`,
      `--boots-file=${join(folder, 'simulator.json')}`,
      `--data-dir=${folder}`,
    ],
    env: {},
    logFile: join(folder, 'logs', 'simulator.log'),
    readyWithinSeconds: 120,
  });
  await simulator.ready;
  try {
    const machines = { machines: simulated, label: PREFIX, signal: around.signal };
    await seedDemo(clientOf(options.context), machines);
    return undefined;
  } catch (error) {
    return `the demo could not be set up: ${error instanceof Error ? error.message : String(error)}`;
  }
};

const startProcesses = async (
  options: UpOptions & { readonly databaseUrl: string },
  around: UpSurroundings,
): Promise<void> => {
  const { folder, listen } = options;
  const env = {
    DATABASE_URL: options.databaseUrl,
    ...(options.simulated > 0 && { HOSTWRIGHT_SIMULATOR: '1' }),
  };
  const child = (name: string, args: readonly string[]): Child =>
    around.keep({
      name,
      args: [name, ...args, `--data-dir=${folder}`],
      env: name === 'server' ? { ...env, ...SERVER_ENVIRONMENT } : env,
      logFile: join(folder, 'logs', `${name}.log`),
      readyWithinSeconds: 60,
    });
  const server = child('server', listenArguments(listen));
  const worker = child('worker', []);
  await Promise.all([server.ready, worker.ready]);
};

export const bringUp = async (options: UpOptions, around: UpSurroundings): Promise<Running> => {
  const began = performance.now();
  const { folder, simulated } = options;
  const { listen } = options;
  mkdirSync(join(folder, 'logs'), { recursive: true, mode: 0o700 });
  // takes seconds on a first start and needs nothing of the rest
  const building = options.buildConsole
    ? buildConsole(around.signal)
    : Promise.resolve({ ok: true, note: '' });
  building.catch(() => {});
  const master = await readMasterKey(folder);
  const ca = listen.tls === undefined ? (await openOwnCa(folder)).certificatePem : undefined;
  const { url: databaseUrl, database } = await openDatabases(options, around);
  const barclamps = simulated > 0 ? ['core', 'demo'] : ['core'];
  const prepared = await prepare({ database, folder, master, barclamps });
  const { note } = await building;
  await startProcesses({ ...options, databaseUrl }, around);
  const url = listen.publicUrl ?? `https://${localName(listen.host)}:${listen.port}`;
  const context = { url, token: prepared.apiToken, ...(ca !== undefined && { ca }) };
  writeLocalContext(folder, context);
  const joining = await clientOf(context).call(token_create, {
    body: { kind: 'join', name: 'printed by up', uses: 1000, expiresInHours: 24 },
  });
  const agent = await readyAdminAgent({ folder, context, database, node: prepared.adminNode });
  if (agent !== undefined) around.keep(agent);
  const notes = [
    note,
    agent === undefined ? NO_AGENT : undefined,
    simulated > 0 ? await startSimulator({ ...options, context }, around) : undefined,
  ].filter((text): text is string => text !== undefined && text !== '');
  return {
    url,
    signInUrl: `${url}/signin#token=${prepared.signinToken}`,
    joinCommand: joining.command ?? joining.secret,
    loopback: /^(127\.|localhost$|::1$)/.test(listen.host),
    dataDir: folder,
    customDataDir: folder !== defaultDataDir(),
    simulated,
    seconds: (performance.now() - began) / 1000,
    notes,
  };
};
