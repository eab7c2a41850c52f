/**
 * Brings a database to this program's schema: numbered plain SQL files, each in its own
 * transaction, under an advisory lock, so that any number of processes may start at once.
 * A database that is ahead of this program is refused, never touched.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import type pg from 'pg';
import { LOCKS } from './locks.ts';

const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

export const listMigrations = (): Migration[] =>
  readdirSync(FOLDER)
    .filter((file) => /^\d{4}-.+\.sql$/.test(file))
    .toSorted()
    .map((file) => ({
      number: Number(file.slice(0, 4)),
      name: file.replace(/\.sql$/, ''),
      sql: readFileSync(join(FOLDER, file), 'utf8'),
    }));

export interface MigrateReport {
  readonly from: number;
  readonly to: number;
}

const applyAll = async (
  client: pg.PoolClient,
  migrations: readonly Migration[],
): Promise<MigrateReport> => {
  await client.query(
    'create table if not exists schema_migration (number integer primary key, name text not null, applied_at timestamptz not null default now())',
  );
  const { rows } = await client.query<{ number: number }>(
    'select coalesce(max(number), 0) as number from schema_migration',
  );
  const from = rows[0]?.number ?? 0;
  const head = migrations.at(-1)?.number ?? 0;
  if (from > head)
    throw new HostwrightError('schema_newer', { public: { database: from, program: head } });
  for (const migration of migrations.filter((candidate) => candidate.number > from)) {
    await client.query('begin');
    try {
      await client.query('insert into schema_migration (number, name) values ($1, $2)', [
        migration.number,
        migration.name,
      ]);
      await client.query(migration.sql);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  }
  return { from, to: head };
};

/** `to`: only as far as this number; a restore begins where its backup was made. */
export const migrate = async (
  pool: pg.Pool,
  options: { readonly to?: number } = {},
): Promise<MigrateReport> => {
  const migrations = listMigrations().filter(
    (migration) => migration.number <= (options.to ?? Infinity),
  );
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCKS.migrate]);
    return await applyAll(client, migrations);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCKS.migrate]).catch(() => {});
    client.release();
  }
};
