import { sql } from 'kysely';
import { listMigrations } from './migrate.ts';
import type { Db } from './open.ts';

/** Where the database stands and where this program wants it. */
export const readSchemaNumber = async (
  db: Db,
): Promise<{ readonly database: number; readonly program: number }> => {
  const { rows } = await sql<{ number: number }>`
    select coalesce(max(number), 0) as number from schema_migration`.execute(db);
  return { database: rows[0]?.number ?? 0, program: listMigrations().at(-1)?.number ?? 0 };
};
