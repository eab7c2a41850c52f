/**
 * Who is behind on which node is kept as changes are made. Two at once - a change and the proof of the
 * one before, a new server and a new node - must not lose an entry: nobody would ever feed it.
 */
import { createTestDatabase, eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { feedServer, listBootServers, registerBootServer } from '../src/index.ts';
import { addNode } from './fixtures.ts';

const database = await createTestDatabase();
const pool = new pg.Pool({ connectionString: database.url, max: 8 });
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});
const { db } = database;

let nodeId = 0;
let serverId = 0;
beforeEach(async () => {
  nodeId = await addNode(database, { name: 'loki' });
  serverId = await registerBootServer(db, { name: 'dhcp-east', kind: 'kea' });
});
afterEach(async () => {
  await db.deleteFrom('boot_server').execute();
  await db.deleteFrom('node').execute();
});

const ACK = `insert into boot_ack (server_id, node_id, version) values ($1, $2, $3)
  on conflict (server_id, node_id) do update set version = excluded.version where boot_ack.version <= excluded.version`;

const feed = (id = serverId) =>
  feedServer(db, {
    serverId: id,
    driver: {
      kind: 'kea',
      apply: async (nodes) => nodes.map((node) => ({ nodeId: node.nodeId, evidence: 'answered' })),
    },
  });

const readQueue = async () => {
  const { rows } = await sql<{ server_id: number; node_id: number; version: number }>`
    select server_id, node_id, version from boot_behind order by 1, 2`.execute(db);
  return rows;
};

/** The same from all versions and all proofs: what the queue must always be. */
const readTruth = async () => {
  const { rows } = await sql<{ server_id: number; node_id: number; version: number }>`
    select s.id as server_id, b.node_id, b.version from boot_server s cross join node_boot b
    left join boot_ack a on a.server_id = s.id and a.node_id = b.node_id
    where a.version is null or a.version < b.version order by 1, 2`.execute(db);
  return rows;
};

const versionNow = async () =>
  (
    await db
      .selectFrom('node_boot')
      .select('version')
      .where('node_id', '=', nodeId)
      .executeTakeFirstOrThrow()
  ).version;

const somebodyWaits = () =>
  eventually(async () => {
    const { rows } =
      await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        db,
      );
    return rows.length === 1;
  });

/** One connection in a transaction of its own, put back whatever happens. */
const inTransaction = async (work: (client: pg.PoolClient) => Promise<void>): Promise<void> => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await work(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
};

test('the proof of one version leaves the change that is being made in the queue, and does not wait for it', async () => {
  const before = await versionNow();
  await inTransaction(async (client) => {
    await client.query(`update node set bootenv = 'discovery' where id = $1`, [nodeId]);
    await pool.query(ACK, [serverId, nodeId, before]);
    await client.query('commit');
  });
  const after = await versionNow();
  expect(after).toBeGreaterThan(before);
  expect(await readQueue()).toEqual([{ server_id: serverId, node_id: nodeId, version: after }]);
});

test('a change that is given up after a proof of the version before leaves nothing that is fed for ever', async () => {
  await inTransaction(async (client) => {
    await client.query(`update node set bootenv = 'discovery' where id = $1`, [nodeId]);
    expect(await feed()).toMatchObject({ applied: 1 });
  });
  expect(await feed()).toMatchObject({ applied: 1 });
  expect(await readQueue()).toEqual([]);
});

test('nodes that are changed one after the other in a transaction are no deadlock with a proof of all of them', async () => {
  const other = await addNode(database, { name: 'fenrir' });
  await inTransaction(async (client) => {
    await client.query(`update node set bootenv = 'discovery' where id = $1`, [other]);
    expect(await feed()).toMatchObject({ applied: 2 });
    await client.query(`update node set bootenv = 'discovery' where id = $1`, [nodeId]);
    await client.query('commit');
  });
  expect(await readQueue()).toEqual(await readTruth());
  expect((await readQueue()).map((row) => row.node_id)).toEqual([nodeId, other]);
});

test('a version is never taken back, also if a change had to wait for one that changed the node twice', async () => {
  const bump = 'select bump_node_boot(array[$1::bigint])';
  await inTransaction(async (client) => {
    await client.query(bump, [nodeId]);
    const waiting = pool.query(bump, [nodeId]);
    await somebodyWaits();
    await client.query(bump, [nodeId]);
    const { rows } = await client.query<{ version: number }>(
      'select version from node_boot where node_id = $1',
      [nodeId],
    );
    await client.query('commit');
    await waiting;
    expect(await versionNow()).toBeGreaterThan(Number(rows[0]?.version));
  });
});

test('what was fed into one life of the data is no proof for the next', async () => {
  const fed = feedServer(db, {
    serverId,
    driver: {
      kind: 'kea',
      apply: async (nodes) => {
        await registerBootServer(db, { name: 'dhcp-east', kind: 'kea', incarnation: 'second' });
        return nodes.map((node) => ({ nodeId: node.nodeId, evidence: 'answered' }));
      },
    },
  });
  expect(await fed).toMatchObject({ applied: 0 });
  expect(await readQueue()).toEqual(await readTruth());
  expect(await feed()).toMatchObject({ applied: 1 });
  expect(await readQueue()).toEqual([]);
});

test('of two feeders of a server the second waits, so that older data never comes after newer', async () => {
  const held: string[] = [];
  const feeder = (before: () => Promise<void>) =>
    feedServer(db, {
      serverId,
      driver: {
        kind: 'kea',
        apply: async (nodes) => {
          await before();
          held.push(...nodes.map((node) => node.name));
          return nodes.map((node) => ({ nodeId: node.nodeId, evidence: 'answered' }));
        },
      },
    });
  let second: Promise<unknown> = Promise.resolve();
  await feeder(async () => {
    await db.updateTable('node').set({ name: 'fenrir' }).where('id', '=', nodeId).execute();
    second = feeder(async () => {});
    await somebodyWaits();
  });
  await second;
  expect(held).toEqual(['loki', 'fenrir']);
  expect(await readQueue()).toEqual([]);
});

test('a change waits for the proof of the version before, and comes into the queue after it', async () => {
  const before = await versionNow();
  await inTransaction(async (client) => {
    await client.query(ACK, [serverId, nodeId, before]);
    const change = db
      .updateTable('node')
      .set({ bootenv: 'discovery' })
      .where('id', '=', nodeId)
      .execute();
    await somebodyWaits();
    await client.query('commit');
    await change;
  });
  expect(await readQueue()).toEqual([
    { server_id: serverId, node_id: nodeId, version: await versionNow() },
  ]);
  expect(await feed()).toMatchObject({ applied: 1 });
  expect(await readQueue()).toEqual([]);
});

test('a server that is added while a node is being added learns of the node', async () => {
  await inTransaction(async (client) => {
    await client.query(
      `insert into node (name, deployment_id) select 'fenrir', id from deployment where system`,
    );
    const server = registerBootServer(db, { name: 'dhcp-west', kind: 'kea' });
    await somebodyWaits();
    await client.query('commit');
    expect(await feed(await server)).toMatchObject({ applied: 2 });
  });
  expect(await readQueue()).toEqual(await readTruth());
});

test('a node that is added while a server is being added is known to the server', async () => {
  await inTransaction(async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `insert into boot_server (name, kind) values ('dhcp-west', 'kea') returning id`,
    );
    const added = addNode(database, { name: 'fenrir' });
    await somebodyWaits();
    await client.query('commit');
    await added;
    expect(await feed(Number(rows[0]?.id))).toMatchObject({ applied: 2 });
  });
  expect(await readQueue()).toEqual(await readTruth());
});

test('a server with another life of its data is behind on all nodes again; one that is gone on none', async () => {
  await addNode(database, { name: 'fenrir' });
  expect(await feed()).toMatchObject({ applied: 2 });
  const counts = async () =>
    (await listBootServers(db)).map(({ current, behind }) => ({ current, behind }));
  expect(await counts()).toEqual([{ current: 2, behind: 0 }]);
  await registerBootServer(db, { name: 'dhcp-east', kind: 'kea', incarnation: 'second' });
  expect(await counts()).toEqual([{ current: 0, behind: 2 }]);
  await db.deleteFrom('boot_server').execute();
  expect(await readQueue()).toEqual([]);
});

test('whatever comes at once, all that versions and proofs say is in the queue, and feeding empties it', async () => {
  await registerBootServer(db, { name: 'dns', kind: 'bind' });
  for (let i = 0; i < 20; i++) await addNode(database, { name: `n${i}` });
  const change = (at: number) =>
    pool.query(
      `update node set bootenv = case bootenv when 'local' then 'discovery' else 'local' end where id % 7 = $1`,
      [at % 7],
    );
  /** Of versions a moment ago, as a feeder proves them. */
  const prove = async (at: number) => {
    const { rows } = await pool.query<{ server_id: string; node_id: string; version: string }>(
      'select * from boot_behind order by version limit $1',
      [1 + (at % 9)],
    );
    for (const row of rows)
      await pool
        .query(ACK, [row.server_id, row.node_id, row.version])
        .catch((error: pg.DatabaseError) => {
          // the server is gone
          if (error.code !== '23503') throw error;
        });
  };
  const servers = async (at: number) => {
    const id = await registerBootServer(db, {
      name: `extra-${at % 2}`,
      kind: 'kea',
      incarnation: String(at),
    });
    if (at % 3 === 0) await db.deleteFrom('boot_server').where('id', '=', id).execute();
  };
  const many = async (work: (at: number) => Promise<unknown>, count: number) => {
    for (let at = 0; at < count; at++) await work(at);
  };
  await Promise.all([
    many(change, 150),
    many(change, 150),
    many(prove, 150),
    many(prove, 150),
    many(servers, 20),
  ]);
  // a proof that met another on its way may have left its row: it is fed once more, and never one too few
  expect(await readQueue()).toEqual(expect.arrayContaining(await readTruth()));
  for (const { id } of await listBootServers(db)) await feed(id);
  expect(await readQueue()).toEqual([]);
});
