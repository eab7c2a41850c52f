/**
 * The one place that opens connections. bigint columns come back as numbers: ids stay far below
 * 2^53, and numbers keep JSON plain.
 */
import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { prepareStatements } from './prepare-statements.ts';
import type { DB } from './types.gen.ts';

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type Db = Kysely<DB>;
export type Tx = Transaction<DB>;

export interface Database {
  readonly db: Db;
  /** For COPY, LISTEN and other things that need a connection of their own. */
  readonly pool: pg.Pool;
  readonly url: string;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly url: string;
  readonly maxConnections?: number;
  readonly applicationName?: string;
  /** Settings of every session, such as planner choices for one kind of work. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Every statement is prepared once per connection. Only where the set of statements is bounded. */
  readonly prepare?: boolean;
  /** Told of connections lost while idle; without a listener the process would die of them. */
  readonly onIdleError?: (error: Error) => void;
}

export const openDatabase = (options: OpenOptions): Database => {
  const settings = Object.entries(options.settings ?? {}).map(
    ([name, value]) => `-c ${name}=${value}`,
  );
  const pool = new pg.Pool({
    connectionString: options.url,
    ...(settings.length > 0 && { options: settings.join(' ') }),
    max: options.maxConnections ?? 10,
    application_name: options.applicationName ?? 'hostwright',
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: 30_000,
  });
  // A connection lost while idle, or while lent out between two queries, is an event without a
  // listener unless it has one here - and would end the process. What was asked fails by itself.
  // The error carries the whole client, keys and all: only its words go on.
  const lost = (error: Error) => options.onIdleError?.(new Error(error.message));
  if (options.prepare === true) pool.on('connect', prepareStatements);
  pool.on('error', lost);
  pool.on('connect', (client) => client.on('error', lost));
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
  const close = async () => {
    await db.destroy();
    // Kysely ends the pool only if it has used it itself
    if (!pool.ended) await pool.end();
  };
  return { db, pool, url: options.url, close };
};
