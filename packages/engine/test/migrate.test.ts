import { readFileSync } from 'node:fs';
import { legalPairs } from '@hostwright/core';
import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { describeSchema, listMigrations, migrate } from '@hostwright/engine';

test('the database allows exactly the state changes that core allows', async () => {
  await using database = await createTestDatabase();
  const rows = await database.db.selectFrom('noderole_transition').selectAll().execute();
  const pairs = rows.map((row) => `${row.from_state} -> ${row.to_state}`).toSorted();
  expect(pairs).toEqual(
    legalPairs()
      .map(([from, to]) => `${from} -> ${to}`)
      .toSorted(),
  );
});

test('a database ahead of this program is refused and left alone', async () => {
  await using database = await createTestDatabase();
  await database.db
    .insertInto('schema_migration')
    .values({ number: 9999, name: 'from the future' })
    .execute();
  await expect(migrate(database.pool)).rejects.toMatchObject({ code: 'schema_newer' });
});

test('migrating twice changes nothing', async () => {
  await using database = await createTestDatabase();
  const head = listMigrations().at(-1)?.number;
  expect(await migrate(database.pool)).toEqual({ from: head, to: head });
});

test('no trigger joins old rows with new ones in a way that can become a nested loop', () => {
  // a session keeps the plan it made for the first row; for thousands it would be quadratic
  const golden = readFileSync(new URL('../schema.sql', import.meta.url), 'utf8');
  const joins = golden.match(/old_rows o .*join new_rows/gi) ?? [];
  expect(joins.length).toBeGreaterThan(0);
  expect(joins.filter((join) => !join.includes('full join'))).toEqual([]);
});

test('schema.sql shows what the migrations make', async () => {
  await using database = await createTestDatabase();
  const golden = readFileSync(new URL('../schema.sql', import.meta.url), 'utf8');
  expect(await describeSchema(database.pool)).toBe(golden);
});
