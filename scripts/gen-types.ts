/** Writes packages/engine/src/db/types.gen.ts from the migrated schema. Usage: gen-types.ts DATABASE_URL */
import { writeFileSync } from 'node:fs';
import pg from 'pg';

const TYPES: Readonly<Record<string, string>> = {
  int8: 'number',
  int4: 'number',
  int2: 'number',
  float8: 'number',
  text: 'string',
  varchar: 'string',
  name: 'string',
  bool: 'boolean',
  timestamptz: 'Timestamp',
  jsonb: 'Json',
  json: 'Json',
  bytea: 'Buffer',
  _text: 'string[]',
  inet: 'string',
  cidr: 'string',
  macaddr: 'string',
  _inet: 'string[]',
  _int8: 'number[]',
  uuid: 'string',
  date: 'string',
  numeric: 'string',
  int8range: 'string',
};

const url = process.argv[2];
if (url === undefined) throw new Error('usage: gen-types.ts DATABASE_URL');
const client = new pg.Client({ connectionString: url });
await client.connect();
const { rows } = await client.query<{
  table: string;
  column: string;
  type: string;
  nullable: boolean;
  given: boolean;
  identity: string;
}>(`
  select c.relname as table, a.attname as column, t.typname as type, not a.attnotnull as nullable, a.atthasdef as given, a.attidentity as identity
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  where n.nspname = 'public' and c.relkind in ('r', 'p') order by c.relname, a.attnum`);
await client.end();

const lines = [
  '// Written by scripts/gen-types.ts from the migrations. Do not edit.',
  "import type { ColumnType, GeneratedAlways } from 'kysely';",
  '',
  '/** What a jsonb column gives back; written as a JSON text. */',
  'export type Json = ColumnType<unknown, string, string>;',
  'export type Timestamp = ColumnType<Date, Date | string, Date | string>;',
  "/** Has a default. Kysely's own does not look into a ColumnType. */",
  'export type Generated<S> = S extends ColumnType<infer A, infer I, infer U> ? ColumnType<A, I | undefined, U> : ColumnType<S, S | undefined, S>;',
  '',
];
const tables = Map.groupBy(rows, (row) => row.table);
const pascal = (name: string) =>
  name.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
for (const [table, columns] of tables) {
  lines.push(`export interface ${pascal(table)}Table {`);
  for (const column of columns) {
    const plain = TYPES[column.type];
    if (plain === undefined)
      throw new Error(`no TypeScript type for ${column.type} of ${table}.${column.column}`);
    const nullable =
      plain === 'Json'
        ? column.nullable
          ? 'ColumnType<unknown, string | null, string | null>'
          : plain
        : plain === 'Timestamp'
          ? column.nullable
            ? 'ColumnType<Date | null, Date | string | null, Date | string | null>'
            : plain
          : column.nullable
            ? `${plain} | null`
            : plain;
    const type =
      column.identity === 'a'
        ? `GeneratedAlways<${nullable}>`
        : column.given
          ? `Generated<${nullable}>`
          : nullable;
    lines.push(`  ${column.column}: ${type};`);
  }
  lines.push('}', '');
}
lines.push(
  'export interface DB {',
  ...[...tables.keys()].map((table) => `  ${table}: ${pascal(table)}Table;`),
  '}',
  '',
);
writeFileSync(new URL('../packages/engine/src/db/types.gen.ts', import.meta.url), lines.join('\n'));
console.log(`${tables.size} tables`);
