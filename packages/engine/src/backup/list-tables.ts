/**
 * Every table of ours with its columns, parents before children, so that a restore breaks no
 * reference. pg-boss's own tables are left out: its jobs only say "look". What is still to be
 * delivered follows from each reader's place and attempts, which are ours (event_reader,
 * hook_delivery, webhook_delivery) and come back, so nothing pending is lost by a restore.
 */
import type pg from 'pg';

export interface BackupTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** How far it has come is kept by migrations themselves. */
const NOT_DATA = new Set(['schema_migration']);

export const listTables = async (client: pg.ClientBase): Promise<readonly BackupTable[]> => {
  const { rows: tables } = await client.query<{ name: string; columns: string[] }>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    group by c.relname order by c.relname`);
  const { rows: references } = await client.query<{ child: string; parent: string }>(`
    select distinct child.relname as child, parent.relname as parent
    from pg_constraint k
    join pg_class child on child.oid = k.conrelid
    join pg_class parent on parent.oid = k.confrelid
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace and k.conrelid <> k.confrelid`);
  const waiting = new Map(
    tables
      .filter((table) => !NOT_DATA.has(table.name))
      .map((table) => [
        table.name,
        {
          table,
          parents: new Set(
            references.filter((edge) => edge.child === table.name).map((edge) => edge.parent),
          ),
        },
      ]),
  );
  const ordered: BackupTable[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter((entry) =>
      [...entry.parents].every((parent) => !waiting.has(parent)),
    );
    if (ready.length === 0)
      throw new Error(`tables refer to each other in a circle: ${[...waiting.keys()].join(', ')}`);
    for (const { table } of ready) {
      waiting.delete(table.name);
      ordered.push(table);
    }
  }
  return ordered;
};

export interface SequenceValue {
  readonly name: string;
  readonly lastValue: string;
  readonly isCalled: boolean;
}

export const readSequences = async (client: pg.ClientBase): Promise<readonly SequenceValue[]> => {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by relname",
  );
  const values: SequenceValue[] = [];
  for (const { name } of rows) {
    const found = await client.query<{ last_value: string; is_called: boolean }>(
      `select last_value::text, is_called from public.${client.escapeIdentifier(name)}`,
    );
    const row = found.rows[0];
    if (row) values.push({ name, lastValue: row.last_value, isCalled: row.is_called });
  }
  return values;
};
