/**
 * Brings a backup back. Only into a database with nothing in it, at the schema the backup was made
 * at; the caller migrates from there. Nothing counts until every checksum has been found right: if
 * anything is wrong, the database is left as empty as it was.
 */
import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HostwrightError } from '@hostwright/core';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { listMigrations, migrate } from '../db/migrate.ts';
import { listTables, type BackupTable } from './list-tables.ts';
import {
  backupHead,
  backupManifest,
  HEAD,
  LARGEST_ENTRY,
  MANIFEST,
  type BackupManifest,
} from './manifest.ts';
import { damaged, readTar, type TarEntry } from './tar.ts';
import type { BackupFile } from './write-backup.ts';

export interface RestoreReport {
  readonly schema: number;
  readonly createdAt: string;
  readonly rows: number;
  readonly tables: number;
  readonly files: readonly BackupFile[];
}

const needEmpty = async (pool: pg.Pool): Promise<void> => {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::int as count from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'S')",
  );
  if ((rows[0]?.count ?? 0) > 0)
    throw new HostwrightError('conflict', {
      message: 'the database is not empty, and a restore never overwrites',
    });
};

const parse = <Value>(
  schema: { safeParse(value: unknown): { success: true; data: Value } | { success: false } },
  entry: TarEntry,
): Value => {
  let value: unknown;
  try {
    value = JSON.parse(entry.body.toString('utf8'));
  } catch {
    throw damaged(`${entry.name} is not JSON`);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw damaged(`${entry.name} has another shape`);
  return parsed.data;
};

interface Loaded {
  readonly hash: Hash;
  /** Of a row that goes on in the next piece. */
  rest: Buffer;
}

const loadTables = async (
  client: pg.PoolClient,
  entries: AsyncGenerator<TarEntry>,
): Promise<{ readonly manifest: BackupManifest; readonly files: BackupFile[] }> => {
  const known = new Map((await listTables(client)).map((table) => [table.name, table]));
  const loaded = new Map<string, Loaded>();
  const files: BackupFile[] = [];
  let manifest: BackupManifest | undefined;
  for await (const entry of entries) {
    const [kind, name = ''] = entry.name.split('/');
    if (entry.name === MANIFEST) manifest = parse(backupManifest, entry);
    else if (kind === 'files') files.push({ name: entry.name.slice(6), body: entry.body });
    else if (kind === 'tables') {
      const table = known.get(name);
      if (table === undefined) throw damaged(`there is no table ${name} at its schema`);
      const sum = loaded.get(name) ?? { hash: createHash('sha256'), rest: Buffer.alloc(0) };
      loaded.set(name, sum);
      sum.hash.update(entry.body);
      sum.rest = await appendPiece(client, table, Buffer.concat([sum.rest, entry.body]));
    }
  }
  if (manifest === undefined) throw damaged('it has no manifest; it was cut off');
  const listed = new Set([...manifest.tables, ...manifest.files].map(({ name }) => name));
  for (const name of [...loaded.keys(), ...files.map((file) => file.name)])
    if (!listed.has(name)) throw damaged(`${name} is not in its manifest`);
  for (const table of manifest.tables) {
    const sum = loaded.get(table.name)?.hash.digest('hex') ?? createHash('sha256').digest('hex');
    if (sum !== table.sha256) throw damaged(`table ${table.name} does not match its checksum`);
  }
  for (const { name, sha256 } of manifest.files) {
    const file = files.find((candidate) => candidate.name === name);
    if (file === undefined || createHash('sha256').update(file.body).digest('hex') !== sha256)
      throw damaged(`${name} does not match its checksum`);
  }
  return { manifest, files };
};

/** A piece may end in the middle of a row; the rest of the row is given back. */
const appendPiece = async (
  client: pg.PoolClient,
  table: BackupTable,
  all: Buffer,
): Promise<Buffer> => {
  const end = all.lastIndexOf(10) + 1;
  const rest = all.subarray(end);
  if (end === 0) return rest;
  const columns = table.columns.map((column) => client.escapeIdentifier(column)).join(', ');
  const target = client.query(
    copyFrom(`copy public.${client.escapeIdentifier(table.name)} (${columns}) from stdin`),
  );
  await pipeline(Readable.from([all.subarray(0, end)]), target);
  return rest;
};

const setSequences = async (client: pg.PoolClient, manifest: BackupManifest): Promise<void> => {
  for (const { name, lastValue, isCalled } of manifest.sequences)
    await client.query('select setval(($1)::regclass, $2::bigint, $3)', [
      `public.${client.escapeIdentifier(name)}`,
      lastValue,
      isCalled,
    ]);
};

const load = async (
  pool: pg.Pool,
  entries: AsyncGenerator<TarEntry>,
): Promise<{ readonly manifest: BackupManifest; readonly files: BackupFile[] }> => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const tables = await listTables(client);
    const names = tables.map((table) => `public.${client.escapeIdentifier(table.name)}`);
    // what migrations put in is in the backup too; triggers would write the events a second time
    await client.query(`truncate ${names.join(', ')}`);
    for (const name of names) await client.query(`alter table ${name} disable trigger user`);
    const content = await loadTables(client, entries);
    await setSequences(client, content.manifest);
    for (const name of names) await client.query(`alter table ${name} enable trigger user`);
    await client.query('commit');
    return content;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
};

export const restoreBackup = async (
  pool: pg.Pool,
  source: AsyncIterable<Buffer>,
): Promise<RestoreReport> => {
  await needEmpty(pool);
  const entries = readTar(source, LARGEST_ENTRY);
  const first = await entries.next();
  if (first.done === true || first.value.name !== HEAD) throw damaged('it does not begin as one');
  const head = parse(backupHead, first.value);
  const newest = listMigrations().at(-1)?.number ?? 0;
  if (head.schema > newest)
    throw new HostwrightError('schema_newer', {
      message: 'this backup was made by a newer Hostwright',
      public: { backup: head.schema, program: newest },
    });
  try {
    await migrate(pool, { to: head.schema });
    const { manifest, files } = await load(pool, entries);
    return {
      schema: head.schema,
      createdAt: head.createdAt,
      rows: manifest.tables.reduce((sum, table) => sum + table.rows, 0),
      tables: manifest.tables.length,
      files,
    };
  } catch (error) {
    // it was empty when we came
    await pool.query('drop schema public cascade; create schema public');
    throw error;
  }
};
