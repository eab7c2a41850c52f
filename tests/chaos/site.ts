/**
 * A whole installation out of real processes - PostgreSQL, one server, two workers - each of which
 * can be killed with SIGKILL and is then started again, as a service manager would.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createToken,
  ensureAdminNode,
  ensureFirstUser,
  importBarclamp,
  migrate,
  openDatabase,
  registerJigs,
  type Database,
} from '@hostwright/engine';
import { databaseUrl, freePort, startPostgres, type Postgres } from '@hostwright/postgres';
import pg from 'pg';

const MAIN = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));
const BARCLAMPS = fileURLToPath(new URL('../../barclamps', import.meta.url));

export const VICTIMS = ['server', 'worker-1', 'worker-2', 'postgres'] as const;
export type Victim = (typeof VICTIMS)[number];

export interface Site {
  readonly url: string;
  readonly joinToken: string;
  readonly database: Database;
  /** The CA that the server made, PEM. */
  ca(): string;
  /** SIGKILL, then a new process; resolves when the new one answers. */
  kill(victim: Victim): Promise<void>;
  /** Processes that ended though nobody killed them: there must be none. */
  deaths(): readonly string[];
  logs(): string;
  close(): Promise<void>;
}

const waitReady = (child: ChildProcess, name: string): Promise<void> =>
  new Promise((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code, signal) =>
      reject(new Error(`${name} ended while starting: ${String(signal ?? code)}`)),
    );
  });

const prepare = async (database: Database): Promise<string> => {
  await migrate(database.pool);
  const jigs = ['noop', 'test', 'script', 'role-provided'];
  await registerJigs(
    database.db,
    jigs.map((name) => ({ name, description: name })),
  );
  for (const name of ['core', 'demo'])
    await importBarclamp(database.db, { folder: join(BARCLAMPS, name), actor: 'chaos' });
  const { userId } = await ensureFirstUser(database.db);
  await ensureAdminNode(database.db, { hostname: 'chaos-admin', actor: 'chaos' });
  const token = await createToken(database.db, {
    kind: 'join',
    name: 'chaos',
    userId,
    uses: 100_000,
    hours: 24,
  });
  return token.secret;
};

export const openSite = async (): Promise<Site> => {
  const home = mkdtempSync(join(tmpdir(), 'hostwright-chaos-'));
  chmodSync(home, 0o755);
  const postgresPort = await freePort();
  const startDatabase = (): Promise<Postgres> =>
    startPostgres({ home, port: postgresPort, settings: { fsync: 'off', max_connections: '200' } });
  let postgres = await startDatabase();
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  await admin.query('create database hostwright');
  await admin.end();
  const url = databaseUrl(postgres.url, 'hostwright');
  const database = openDatabase({ url, maxConnections: 5, onIdleError: () => {} });
  const joinToken = await prepare(database);
  const port = await freePort();
  const logFile = join(home, 'processes.log');
  const log = openSync(logFile, 'a');
  const children = new Map<Victim, ChildProcess>();
  const condemned = new WeakSet<ChildProcess>();
  const deaths: string[] = [];

  const start = async (name: Exclude<Victim, 'postgres'>): Promise<void> => {
    const role = name === 'server' ? ['server', `--port=${port}`] : ['worker', `--name=${name}`];
    for (let tries = 1; ; tries++) {
      const child = spawn(process.execPath, [MAIN, ...role, `--data-dir=${home}`], {
        stdio: ['ignore', log, log, 'ipc'],
        env: { ...process.env, DATABASE_URL: url },
      });
      children.set(name, child);
      try {
        await waitReady(child, name);
        child.once('exit', (code, signal) => {
          if (!condemned.has(child))
            deaths.push(`${name} ended by itself: ${String(signal ?? code)}`);
        });
        return;
      } catch (error) {
        // the database may have been the one that was killed; a service manager tries again too
        if (tries >= 20) throw error;
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    }
  };

  const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    condemned.add(child);
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    await gone;
  };

  const kill = async (victim: Victim): Promise<void> => {
    if (victim === 'postgres') {
      process.kill(postgres.pid, 'SIGKILL');
      await postgres.exited;
      for (let tries = 1; ; tries++) {
        try {
          postgres = await startDatabase();
          return;
        } catch (error) {
          // orphaned backends hold the shared memory until they notice
          if (tries >= 40) throw error;
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
      }
    }
    const child = children.get(victim);
    if (child) await end(child, 'SIGKILL');
    await start(victim);
  };

  await Promise.all([start('server'), start('worker-1'), start('worker-2')]);
  return {
    url: `https://localhost:${port}`,
    joinToken,
    database,
    ca: () => readFileSync(join(home, 'tls', 'ca.pem'), 'utf8'),
    kill,
    deaths: () => deaths,
    logs: () => readFileSync(logFile, 'utf8'),
    close: async () => {
      await Promise.all([...children.values()].map((child) => end(child, 'SIGTERM')));
      await database.close();
      await postgres.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
};
