import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { tarEnd, tarEntry } from '../../src/backup/tar.ts';
import {
  createNodes,
  listMigrations,
  migrate,
  restoreBackup,
  writeBackup,
} from '../../src/index.ts';

let source: TestDatabase;
let target: TestDatabase;

const empty = () => target.pool.query('drop schema public cascade; create schema public');
const countTables = async (): Promise<number> => {
  const { rows } = await target.pool.query<{ n: number }>(
    "select count(*)::int as n from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
  );
  return rows[0]?.n ?? -1;
};

const collect = async (files = [{ name: 'master.key', body: Buffer.from('secret') }]) => {
  const parts: Buffer[] = [];
  for await (const part of writeBackup(source.pool, { files })) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
};

async function* inPieces(whole: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

/** Every row of every table, in an order that does not depend on where it lies. */
const fingerprint = async (database: TestDatabase): Promise<Record<string, string>> => {
  const { rows } = await database.pool.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migration' order by 1",
  );
  const sums: Record<string, string> = {};
  for (const { name } of rows) {
    const all = await database.pool.query<{ text: string }>(
      `select t::text as text from public."${name}" t order by t::text`,
    );
    sums[name] = createHash('sha256').update(JSON.stringify(all.rows)).digest('hex');
  }
  return sums;
};

beforeAll(async () => {
  source = await createTestDatabase();
  target = await createTestDatabase();
  await createNodes(source.db, {
    nodes: Array.from({ length: 300 }, (_, index) => ({
      name: `node-${index}`,
      description: 'tab\there, line\nhere, back\\slash, \u00e9\u4e2d',
      hint: { note: 'x'.repeat(200) },
    })),
    actor: 'test',
  });
  await sql`insert into secret (name, sealed) values ('s', '\\x00ff0a09')`.execute(source.db);
});
afterAll(async () => {
  await source.close();
  await target.close();
});
beforeEach(empty);

test('what was backed up comes back row for row, and new rows get new ids', async () => {
  const report = await restoreBackup(target.pool, inPieces(await collect(), 1000));
  expect(report.files).toEqual([{ name: 'master.key', body: Buffer.from('secret') }]);
  expect(await fingerprint(target)).toEqual(await fingerprint(source));
  await migrate(target.pool);
  const made = await createNodes(target.db, { nodes: [{ name: 'after' }], actor: 'test' });
  expect(made.ok && made.nodes[0]?.id).toBe(301);
  // triggers work again: the new node has its event and both lanes
  const { rows } = await sql<{ lanes: number }>`
    select count(*)::int as lanes from node_lane l join node n on n.id = l.node_id where n.name = 'after'`.execute(
    target.db,
  );
  expect(rows[0]?.lanes).toBe(2);
});

test('a backup is of one instant, whatever is written meanwhile', async () => {
  const parts: Buffer[] = [];
  let written = false;
  const stream = writeBackup(source.pool, {
    onTable: (name) => {
      if (name === 'app_user' || written) return;
      written = true;
      void createNodes(source.db, { nodes: [{ name: 'meanwhile' }], actor: 'test' });
    },
  });
  for await (const part of stream) parts.push(Buffer.from(part));
  await restoreBackup(target.pool, inPieces(Buffer.concat(parts), 65_536));
  const { rows } = await sql<{ nodes: number; lanes: number }>`
    select (select count(*)::int from node) as nodes, (select count(*)::int from node_lane) as lanes`.execute(
    target.db,
  );
  expect(rows[0]?.lanes).toBe((rows[0]?.nodes ?? 0) * 2);
});

test('a database that is not empty is refused and stays as it is', async () => {
  await target.pool.query('create table mine (x int)');
  await expect(restoreBackup(target.pool, inPieces(await collect(), 4096))).rejects.toMatchObject({
    code: 'conflict',
  });
  expect(await countTables()).toBe(1);
});

test('a file that is damaged, cut off or no backup leaves the database empty', async () => {
  const good = await collect();
  const at = good.indexOf('node-17');
  const changed = Buffer.from(good);
  changed.write('evil-17', at);
  const bad: readonly (readonly [string, Buffer])[] = [
    ['a changed byte', changed],
    ['cut off before its last entry', good.subarray(0, good.lastIndexOf('manifest.json'))],
    ['no tar at all', Buffer.from('x'.repeat(2048))],
    ['empty', Buffer.alloc(0)],
    ['another tar', Buffer.concat([tarEntry('a', Buffer.from('b'), 0), tarEnd()])],
    [
      'a file that its manifest does not know',
      Buffer.concat([
        good.subarray(0, -tarEnd().length),
        tarEntry('files/../evil', Buffer.from('b'), 0),
        tarEnd(),
      ]),
    ],
  ];
  for (const [what, file] of bad) {
    await expect(restoreBackup(target.pool, inPieces(file, 8192)), what).rejects.toMatchObject({
      code: 'bad_input',
    });
    expect(await countTables(), what).toBe(0);
  }
});

test('a backup of a newer Hostwright is refused before anything is made', async () => {
  const head = { format: 1, product: 'hostwright', schema: 9999, createdAt: 'now' };
  const file = Buffer.concat([
    tarEntry('backup.json', Buffer.from(JSON.stringify(head)), 0),
    tarEnd(),
  ]);
  await expect(restoreBackup(target.pool, inPieces(file, 512))).rejects.toMatchObject({
    code: 'schema_newer',
  });
  expect(await countTables()).toBe(0);
});

test('migrations can be run up to the number a backup was made at', async () => {
  const numbers = listMigrations().map((migration) => migration.number);
  await migrate(target.pool, { to: 1 });
  const { rows } = await target.pool.query<{ n: number }>(
    'select max(number) as n from schema_migration',
  );
  expect(rows[0]?.n).toBe(1);
  expect(await migrate(target.pool)).toMatchObject({ from: 1, to: numbers.at(-1) });
});
