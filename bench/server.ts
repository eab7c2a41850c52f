/** Server and worker as processes of their own, as `hostwright` starts them, and a token to speak to the server with. */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createToken, type Database } from '@hostwright/engine';
import { SERVER_ENVIRONMENT } from '../packages/cli/src/server-memory.ts';
import { sql } from 'kysely';

export interface BenchServer {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
  /** Resident memory of the process, in MB. */
  memory(): number;
  /** What the process has used of the processors, in seconds. */
  cpu(): number;
  /** What a path of the server answers, as text. */
  get(path: string): Promise<string>;
  stop(): Promise<void>;
}

interface Started {
  readonly child: ChildProcess;
  /** What it said when it was ready. */
  readonly said: unknown;
  readonly stop: () => Promise<void>;
}

const fetchText = (url: string, options: RequestOptions): Promise<string> =>
  new Promise((resolve, reject) => {
    get(url, options, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      answer.on('end', () =>
        answer.statusCode === 200
          ? resolve(text)
          : reject(new Error(`${url} was answered ${answer.statusCode}: ${text.slice(0, 200)}`)),
      );
    }).on('error', reject);
  });

const MAIN = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));

const start = async (database: Database, args: readonly string[]): Promise<Started> => {
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-bench-server-'));
  const child = fork(MAIN, [...args, '--data-dir', folder], {
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      ...(args[0] === 'server' && SERVER_ENVIRONMENT),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const said = await new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}`)));
  });
  return {
    child,
    said,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

export const startBenchWorker = (database: Database): Promise<Pick<Started, 'stop'>> =>
  start(database, ['worker']);

const TICKS_PER_SECOND = 100;

export const startBenchServer = async (database: Database): Promise<BenchServer> => {
  const { rows } = await sql<{ id: number }>`
    insert into app_user (name, role) values ('bench', 'admin') on conflict (name) do update set role = 'admin' returning id`.execute(
    database.db,
  );
  const { secret } = await createToken(database.db, {
    kind: 'api',
    name: 'bench',
    userId: rows[0]?.id ?? null,
  });
  const { child, said, stop } = await start(database, ['server', '--port=0']);
  const port = typeof said === 'object' && said !== null && 'port' in said ? said.port : undefined;
  const url = `https://localhost:${String(port)}`;
  const ca = await fetchText(`${url}/agent/v1/ca.pem`, { rejectUnauthorized: false });
  return {
    url,
    token: secret,
    ca,
    memory: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    },
    cpu: () => {
      // the name of the program, in brackets, may hold blanks
      const fields = (readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1] ?? '').split(
        ' ',
      );
      return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    },
    get: (path) =>
      fetchText(`${url}${path}`, { ca, headers: { authorization: `Bearer ${secret}` } }),
    stop,
  };
};

/** One line of the server's Prometheus text; 0 while there is none. */
export const readMetric = async (server: BenchServer, name: string): Promise<number> => {
  const text = await server.get('/api/v2/metrics');
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
};
