/**
 * The whole schema as text, in an order that does not depend on how it came about: tables with
 * columns, constraints, indexes, triggers, then sequences, views and functions. Kept in schema.sql, so that
 * a migration shows as a readable difference; a test compares the two.
 */
import type pg from 'pg';

const PARTS = {
  columns: `select c.relname as owner, format('  %I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then ' not null' else '' end,
      case when a.attidentity <> '' then ' generated always as identity' when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end) as line
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by c.relname, a.attname`,
  constraints: `select conrelid::regclass::text as owner, format('  constraint %I %s', conname, pg_get_constraintdef(oid)) as line
    from pg_constraint where connamespace = 'public'::regnamespace and conrelid <> 0 and contype <> 'n' order by 1, conname`,
  indexes: `select tablename as owner, '  ' || indexdef as line from pg_indexes where schemaname = 'public'
    and not exists (select 1 from pg_constraint k where k.conname = indexname) order by tablename, indexname`,
  triggers: `select tgrelid::regclass::text as owner, '  ' || pg_get_triggerdef(oid) as line from pg_trigger where not tgisinternal order by 1, tgname`,
} as const;

interface Line {
  readonly owner: string;
  readonly line: string;
}

export const describeSchema = async (pool: pg.Pool): Promise<string> => {
  const tables = new Map<string, string[]>();
  for (const query of Object.values(PARTS)) {
    const { rows } = await pool.query<Line>(query);
    for (const { owner, line } of rows) tables.set(owner, [...(tables.get(owner) ?? []), line]);
  }
  const functions = await pool.query<{ text: string }>(
    "select pg_get_functiondef(oid) as text from pg_proc where pronamespace = 'public'::regnamespace order by proname, pg_get_function_identity_arguments(oid)",
  );
  const sequences = await pool.query<{ text: string }>(
    `select 'sequence ' || c.relname as text from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'S'
       and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype in ('i', 'a')) order by 1`,
  );
  const views = await pool.query<{ text: string }>(
    "select format(E'view %I\\n%s', viewname, definition) as text from pg_views where schemaname = 'public' order by viewname",
  );
  return [
    ...[...tables]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, lines]) => [`table ${name}`, ...lines].join('\n')),
    ...sequences.rows.map((row) => row.text),
    ...views.rows.map((row) => row.text),
    ...functions.rows.map((row) => row.text.trimEnd()),
  ]
    .join('\n\n')
    .concat('\n');
};
