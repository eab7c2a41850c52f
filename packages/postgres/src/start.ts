/**
 * A real PostgreSQL server that lives in one folder: made if missing, started on loopback, stopped
 * with its caller. It must never touch a server it did not make.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries } from './binaries.ts';
import { findClosedFolder } from './find-closed-folder.ts';
import { findRunningPostgres } from './find-running.ts';
import { freePort } from './free-port.ts';
import { processIsAlive } from './process-alive.ts';
import { unprivilegedUser, type UnixUser } from './unprivileged-user.ts';
import { endWithParent } from './watch-parent.ts';

export interface PostgresOptions {
  /** Holds `postgres/` (the cluster), the password and, for root, a copy of the programs. */
  readonly home: string;
  readonly port?: number;
  /** Extra `-c` settings, such as `{ fsync: 'off' }` for tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A file for the server's log; default `home/postgres.log`. */
  readonly logFile?: string;
}

export interface Postgres {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the server process has ended, however it ended. */
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
}

const asUser = (user: UnixUser | undefined) => (user ? { uid: user.uid, gid: user.gid } : {});

/** A server left behind by a supervisor that was killed: it is ours (it is in our folder), so end it. */
const stopLeftover = async (home: string): Promise<void> => {
  const left = findRunningPostgres(home);
  if (left === undefined) return;
  process.kill(left.pid, 'SIGINT');
  for (let waited = 0; waited < 30_000 && processIsAlive(left.pid); waited += 50) await sleep(50);
};

const makeCluster = (
  initdb: string,
  cluster: string,
  passwordFile: string,
  user: UnixUser | undefined,
): void => {
  const made = spawnSync(
    initdb,
    [
      '-D',
      cluster,
      '-U',
      'hostwright',
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
      '--locale=C',
      '--no-instructions',
    ],
    { cwd: '/', ...asUser(user), env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' } },
  );
  if (made.status !== 0) {
    throw new Error(
      `PostgreSQL could not make its data folder ${cluster}: ${made.stderr.toString().trim()}`,
    );
  }
};

const waitUntilReady = async (url: string, child: ChildProcess, logFile: string): Promise<void> => {
  for (let waited = 0; waited < 60_000; waited += 50) {
    if (child.exitCode !== null || child.signalCode !== null) {
      const lines = existsSync(logFile)
        ? readFileSync(logFile, 'utf8').trim().split('\n').slice(-3).join(' | ')
        : '';
      throw new Error(`PostgreSQL ended while starting: ${lines}`);
    }
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await client.end().catch(() => {});
      await sleep(50);
    }
  }
  throw new Error('PostgreSQL did not answer within 60 seconds of being started');
};

export const startPostgres = async (options: PostgresOptions): Promise<Postgres> => {
  const home = resolve(options.home);
  mkdirSync(home, { recursive: true });
  const user = unprivilegedUser();
  const closed = user === undefined ? undefined : findClosedFolder(home, user);
  if (closed !== undefined)
    throw new Error(
      `it runs as the user ${user?.name}, who may not enter ${closed}; choose another data folder, or \`chmod o+x ${closed}\``,
    );
  const binaries = await findBinaries(home, user);
  const cluster = join(home, 'postgres');
  const passwordFile = join(home, 'postgres.password');
  const logFile = options.logFile ?? join(home, 'postgres.log');
  if (!existsSync(passwordFile))
    writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid);
  if (!existsSync(cluster)) {
    // made beside its place and renamed: a start that is killed here leaves nothing half made
    const half = `${cluster}.half-made`;
    rmSync(half, { recursive: true, force: true });
    mkdirSync(half, { recursive: true, mode: 0o700 });
    if (user) chownSync(half, user.uid, user.gid);
    makeCluster(binaries.initdb, half, passwordFile, user);
    renameSync(half, cluster);
  }
  await stopLeftover(home);

  const port = options.port ?? (await freePort());
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '256MB',
    // the longest statement takes milliseconds: compiling one takes longer than running it
    jit: 'off',
    logging_collector: 'off',
    ...options.settings,
  };
  // what a statement was about may stand in the log, and others may pass through the data folder
  const log = openSync(logFile, 'a', 0o600);
  fchmodSync(log, 0o600);
  const child = spawn(
    binaries.postgres,
    [
      '-D',
      cluster,
      ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ],
    // its own process group: a Ctrl-C at the terminal must reach the supervisor first, not the database
    {
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
      ...asUser(user),
      env: { LC_ALL: 'C', TZ: 'UTC' },
    },
  );
  closeSync(log);
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  const pid = child.pid;
  if (pid === undefined) throw new Error('PostgreSQL could not be started');
  const password = readFileSync(passwordFile, 'utf8').trim();
  const url = `postgres://hostwright:${password}@127.0.0.1:${port}/postgres`;
  const letGo = endWithParent(pid);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT');
    await exited;
    letGo();
  };
  try {
    await waitUntilReady(url, child, logFile);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, port, pid, exited, stop };
};
