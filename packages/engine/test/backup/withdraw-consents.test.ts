import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNodes, grantConsents, transaction, withdrawConsents } from '../../src/index.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await sql`insert into jig (name) values ('noop') on conflict do nothing`.execute(db);
  await sql`
    with b as (insert into barclamp (name, version, source_path, content_hash) values ('b', '1', '/', 'x') returning id)
    insert into role (barclamp_id, name, jig, destructive) select id, v.name, 'noop', v.destructive
    from b, (values ('wipe', true), ('watch', false)) v(name, destructive)`.execute(db);
});
afterAll(async () => database.close());

const addNoderole = async (node: string, role: string): Promise<number> => {
  await createNodes(database.db, { nodes: [{ name: node }], actor: 'test' });
  const { rows } = await sql<{ id: number }>`
    insert into noderole (deployment_id, role_id, node_id, lane, state)
    select n.deployment_id, r.id, n.id, 'host', 'active' from node n, role r where n.name = ${node} and r.name = ${role}
    returning id`.execute(database.db);
  return rows[0]?.id ?? 0;
};
const addRun = async (noderoleId: number, status: string): Promise<void> => {
  await sql`
    insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, status, waiting_for, deadline_at)
    select id, node_id, role_id, deployment_id, 'host', 'noop', ${status}, 'x', now() + interval '1 hour' from noderole where id = ${noderoleId}`.execute(
    database.db,
  );
};

test('a restored system erases nothing that was allowed before the backup', async () => {
  const [unused, under, harmless] = [
    await addNoderole('one', 'wipe'),
    await addNoderole('two', 'wipe'),
    await addNoderole('three', 'watch'),
  ];
  await transaction(database.db, (tx) =>
    grantConsents(tx, {
      consents: [{ noderoleId: unused, inputHash: 'x', disks: ['S1'] }],
      actor: 'ann',
    }),
  );
  await addRun(under, 'waiting');
  await addRun(harmless, 'waiting');
  await sql`
    insert into node_release (node_id, asked_by, deadline_at, how, serials, bytes)
    select id, 'ann', now() + interval '1 day', 'full', '{S3}', '{8}' from node where name = 'three'`.execute(
    database.db,
  );
  expect(await withdrawConsents(database.db)).toEqual({ consents: 2, runs: 1 });
  expect((await sql`select failed from node_release`.execute(database.db)).rows).toEqual([
    { failed: expect.stringMatching(/restored from a backup.*nothing was erased/) },
  ]);
  const { rows } = await sql<{ noderole_id: number; status: string; error: string | null }>`
    select noderole_id, status, error from run order by id`.execute(database.db);
  expect(rows).toMatchObject([
    { noderole_id: under, status: 'cancelling', error: expect.stringContaining('backup') },
    { noderole_id: harmless, status: 'waiting', error: null },
  ]);
  expect((await sql`select from consent`.execute(database.db)).rows).toEqual([]);
});

test('a newer consent for the same inputs is for the disks it names, not for the older ones', async () => {
  const noderoleId = await addNoderole('four', 'wipe');
  for (const disks of [['S-old'], ['S-new']])
    await transaction(database.db, (tx) =>
      grantConsents(tx, { consents: [{ noderoleId, inputHash: 'x', disks }], actor: 'ann' }),
    );
  const { rows } = await sql`select disks from consent where noderole_id = ${noderoleId}`.execute(
    database.db,
  );
  expect(rows).toEqual([{ disks: ['S-new'] }]);
});
