/**
 * Everything in the database as of one instant, as a stream, while the system goes on working: one
 * repeatable-read transaction, COPY table by table. What generic job queues hold is not ours to
 * keep: deliveries start again from where each reader of the events has come.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { listTables, readSequences, type BackupTable } from './list-tables.ts';
import { HEAD, MANIFEST, PIECE, type BackupHead, type BackupManifest } from './manifest.ts';
import { tarEnd, tarEntry } from './tar.ts';

export interface BackupFile {
  readonly name: string;
  readonly body: Buffer;
}

export interface BackupOptions {
  /** Besides the database: keys, certificates. */
  readonly files?: readonly BackupFile[];
  readonly now?: Date;
  readonly onTable?: (name: string) => void;
}

type TableEntry = BackupManifest['tables'][number];

const quote = (client: pg.ClientBase, table: BackupTable): string =>
  `public.${client.escapeIdentifier(table.name)} (${table.columns.map((column) => client.escapeIdentifier(column)).join(', ')})`;

async function* pieces(client: pg.ClientBase, table: BackupTable): AsyncGenerator<Buffer> {
  const stream = client.query(copyTo(`copy ${quote(client, table)} to stdout`));
  let held: Buffer[] = [];
  let size = 0;
  // typed as any by Node; COPY gives buffers
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    held.push(chunk);
    size += chunk.length;
    if (size < PIECE) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(held);
}

const countRows = (piece: Buffer): number => {
  let rows = 0;
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) rows++;
  return rows;
};

async function* writeAll(client: pg.ClientBase, options: BackupOptions): AsyncGenerator<Buffer> {
  const now = options.now ?? new Date();
  const seconds = Math.floor(now.getTime() / 1000);
  const entry = (name: string, body: Buffer): Buffer => tarEntry(name, body, seconds);
  const json = (name: string, value: unknown): Buffer =>
    entry(name, Buffer.from(`${JSON.stringify(value, null, 2)}\n`));
  const schema = await client.query<{ number: number }>(
    'select max(number) as number from schema_migration',
  );
  const head: BackupHead = {
    format: 1,
    product: 'hostwright',
    schema: schema.rows[0]?.number ?? 0,
    createdAt: now.toISOString(),
  };
  yield json(HEAD, head);
  const tables: TableEntry[] = [];
  for (const table of await listTables(client)) {
    options.onTable?.(table.name);
    const hash = createHash('sha256');
    let rows = 0;
    let bytes = 0;
    let number = 0;
    for await (const piece of pieces(client, table)) {
      hash.update(piece);
      rows += countRows(piece);
      bytes += piece.length;
      yield entry(`tables/${table.name}/${String(number++).padStart(6, '0')}`, piece);
    }
    tables.push({ ...table, columns: [...table.columns], rows, bytes, sha256: hash.digest('hex') });
  }
  const files: BackupManifest['files'] = [];
  for (const { name, body } of options.files ?? []) {
    yield entry(`files/${name}`, body);
    files.push({ name, sha256: createHash('sha256').update(body).digest('hex') });
  }
  const manifest: BackupManifest = {
    tables,
    sequences: [...(await readSequences(client))],
    files,
  };
  yield json(MANIFEST, manifest);
  yield tarEnd();
}

async function* inOneInstant(pool: pg.Pool, options: BackupOptions): AsyncGenerator<Buffer> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query('begin isolation level repeatable read read only');
    yield* writeAll(client, options);
    await client.query('commit');
    failed = false;
  } finally {
    // in the middle of a COPY the connection is of no further use
    client.release(failed);
  }
}

/** The backup as an uncompressed tar. */
export const writeBackup = (pool: pg.Pool, options: BackupOptions = {}): Readable =>
  Readable.from(inOneInstant(pool, options), { objectMode: false });
