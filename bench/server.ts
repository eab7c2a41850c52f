/** A server as a process of its own, as `hostwright server` starts it, and a token to speak to it with. */
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createToken, type Database } from '@hostwright/engine';
import { sql } from 'kysely';

export interface BenchServer {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
  /** Resident memory of the process, in MB. */
  memory(): number;
  stop(): Promise<void>;
}

/** The CA that a first caller fetches before it can check anything. */
const fetchCa = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    get(`${url}/agent/v1/ca.pem`, { rejectUnauthorized: false }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      answer.on('end', () => resolve(text));
    }).on('error', reject);
  });

const MAIN = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));

export const startBenchServer = async (database: Database): Promise<BenchServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-bench-server-'));
  const { rows } = await sql<{ id: number }>`
    insert into app_user (name, role) values ('bench', 'admin') on conflict (name) do update set role = 'admin' returning id`.execute(
    database.db,
  );
  const { secret } = await createToken(database.db, {
    kind: 'api',
    name: 'bench',
    userId: rows[0]?.id ?? null,
  });
  const child = fork(MAIN, ['server', '--data-dir', folder, '--port=0'], {
    env: { ...process.env, DATABASE_URL: database.url },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => {
      const ready =
        typeof message === 'object' && message !== null && 'port' in message
          ? message.port
          : undefined;
      resolve(`https://localhost:${String(ready)}`);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return {
    url,
    token: secret,
    ca: await fetchCa(url),
    memory: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    },
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
