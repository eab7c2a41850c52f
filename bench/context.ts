/**
 * What a benchmark gets: a PostgreSQL of its own with fsync on (the defaults but for the size of
 * memory), and databases in it. Every bar is a ratio or a figure measured in one run on one machine.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openDatabase, type Database } from '@hostwright/engine';
import { startPostgres } from '@hostwright/postgres';
import pg from 'pg';

/** Of 16 MB: more than any bar writes. */
const LOG_FILES = 60;

export interface BenchContext {
  readonly quick: boolean;
  /** A migrated, empty database of Hostwright. */
  freshDatabase(): Promise<Database>;
  /** An empty database of nobody. */
  bareDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }>;
  say(text: string): void;
}

export interface BarResult {
  readonly held: boolean;
  /** One line: what was measured against what. */
  readonly summary: string;
  readonly figures: Readonly<Record<string, number | string>>;
}

/** One bar. A file in bench/bars that exports one as `bar` takes part. */
export interface Bar {
  readonly id: string;
  readonly title: string;
  /** Takes part in `--quick`. */
  readonly quick: boolean;
  run(context: BenchContext): Promise<BarResult>;
}

/**
 * A server that has been up for a while writes its log into old files; one that was made a second ago
 * makes each new one first, and that took a tenth of a bar's time. So the first files are used up here.
 */
const recycleLog = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (let file = 0; file < LOG_FILES; file++)
    await client.query('select pg_logical_emit_message(true, $1, $1), pg_switch_wal()', ['bench']);
  await client.query('checkpoint');
  await client.end();
};

export const openBench = async (
  quick: boolean,
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchContext & { readonly pid: number; close(): Promise<void> }> => {
  const home = mkdtempSync(join(tmpdir(), 'hostwright-bench-'));
  chmodSync(home, 0o755);
  const server = await startPostgres({
    home,
    settings: {
      fsync: 'on',
      synchronous_commit: 'on',
      shared_buffers: '512MB',
      max_wal_size: '4GB',
      min_wal_size: '1GB',
      max_connections: '200',
      ...settings,
    },
  });
  const asAdmin = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await recycleLog(server.url);
  const create = async () => {
    const name = `bench_${randomBytes(4).toString('hex')}`;
    await asAdmin(`create database ${name}`);
    const url = server.url.replace(/\/postgres$/, `/${name}`);
    return { url, drop: () => asAdmin(`drop database if exists ${name} with (force)`) };
  };
  return {
    quick,
    pid: server.pid,
    bareDatabase: create,
    freshDatabase: async () => {
      const { url, drop } = await create();
      const database = openDatabase({ url, maxConnections: 12 });
      await migrate(database.pool);
      const close = async () => {
        await database.close();
        await drop();
      };
      return { ...database, close };
    },
    say: (text) => process.stderr.write(`${text}\n`),
    close: async () => {
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
};
