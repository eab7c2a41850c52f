/** What a batch writes must arrive as it was, whatever characters it holds. */
import { createTestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../src/db/open.ts';

const TEXTS = ['', 'NULL', 'null', 'a,b', '{x}', '"', '\\', '\\"', ' lead', 'ü\n\t', null];
const DATES = [new Date('2026-01-02T03:04:05.678Z'), null];

test('arrays given to a prepared statement come back as they went', async () => {
  await using database = await createTestDatabase();
  const hot = openDatabase({ url: database.url, maxConnections: 1, prepare: true });
  try {
    const { rows } = await sql<{ numbers: unknown[] } & Record<string, unknown>>`
      select ${TEXTS}::text[] as texts, ${[1, -2, 9007199254740991, null]}::bigint[] as numbers, ${[0.5, 1e21]}::float8[] as floats,
        ${[true, false, null]}::boolean[] as flags, ${DATES}::timestamptz[] as dates, ${[]}::text[] as none`.execute(
      hot.db,
    );
    const [row] = rows;
    expect(row?.['texts']).toEqual(TEXTS);
    expect(row?.numbers.map((n) => (n === null ? null : Number(n)))).toEqual([
      1,
      -2,
      9007199254740991,
      null,
    ]);
    expect(row?.['floats']).toEqual([0.5, 1e21]);
    expect(row?.['flags']).toEqual([true, false, null]);
    expect(row?.['dates']).toEqual(DATES);
    expect(row?.['none']).toEqual([]);
  } finally {
    await hot.close();
  }
});
