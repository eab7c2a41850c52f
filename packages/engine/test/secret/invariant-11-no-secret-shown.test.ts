import { randomBytes } from 'node:crypto';
import { createTestDatabase, eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  bindRoles,
  commitSnapshot,
  masterKey,
  putSecret,
  reportHello,
  addDeploymentRole,
  SILENT,
  startWorker,
  type Jig,
} from '@hostwright/engine';
import {
  ACTOR,
  addDeployment,
  addNodes,
  asBinding,
  importRoles,
  propose,
} from '../plan/fixture.ts';

const CANARY = 'canary-5tr0ng"pass/word';

/** Does all that a careless script does with a password. */
const careless: Jig = {
  name: 'test',
  description: 'prints what it should not',
  run: async (handle) => {
    const password =
      typeof handle.attribs['password'] === 'string' ? handle.attribs['password'] : '';
    handle.log(
      `password=${password}\nAuthorization: Basic ${Buffer.from(`root:${password}`).toString('base64')}`,
    );
    handle.log(JSON.stringify(handle.attribs), 'err');
    await handle.remember({ seen: typeof password });
    if (handle.node.name === 'n2') throw new Error(`login failed for ${password}`);
    if (handle.node.name === 'n3')
      return {
        kind: 'failed',
        reason: `cannot use ${password}`,
        retryable: false,
        blame: 'content',
      };
    return {
      kind: 'succeeded',
      wall: {
        url: `https://root:${encodeURIComponent(password)}@host`,
        dump: JSON.stringify({ password }),
      },
    };
  },
};

test('invariant 11: whatever a run does with a secret, no table, event or log holds it', async () => {
  await using database = await createTestDatabase();
  const { db, pool } = database;
  const master = masterKey(randomBytes(32));
  await putSecret(db, { name: 'root-password', value: CANARY, master, actor: ACTOR });
  await importRoles(db, [
    {
      name: 'login',
      jig: 'test',
      attribs: [{ name: 'password', secret: true, schema: { type: 'string' } }],
    },
  ]);
  const nodes = await addNodes(db, ['n1', 'n2', 'n3']);
  for (const nodeId of nodes) await reportHello(db, { nodeId, bootId: `b${nodeId}` });
  const { id: deploymentId } = await addDeployment(db, 'shop');
  const { id: snapshotId } = await propose(db, deploymentId);
  await bindRoles(db, {
    snapshotId,
    actor: ACTOR,
    bindings: ['login@n1', 'login@n2', 'login@n3'].map(asBinding),
  });
  await addDeploymentRole(db, {
    snapshotId,
    role: 'login',
    data: { password: { $secret: 'root-password' } },
    actor: ACTOR,
  });
  await commitSnapshot(db, { snapshotId, actor: ACTOR });
  const worker = await startWorker({ database, jigs: [careless], log: SILENT, name: 'w1', master });
  await eventually(
    async () =>
      (await sql`select from noderole where state not in ('active', 'error')`.execute(db)).rows
        .length === 0,
  );
  await worker.stop();
  const { rows: ran } = await sql<{ state: string; reason: string; lines: number }>`
    select nr.state, nr.reason, (select count(*) from run_log l join run r on r.id = l.run_id where r.noderole_id = nr.id) as lines
    from noderole nr order by nr.node_id`.execute(db);
  expect(ran.map((row) => row.state)).toEqual(['active', 'error', 'error']);
  expect(ran.every((row) => row.lines > 0)).toBe(true);
  expect(ran[2]?.reason).toContain('[secret]');
  const spellings = [
    CANARY,
    JSON.stringify(CANARY).slice(1, -1),
    encodeURIComponent(CANARY),
    Buffer.from(CANARY).toString('hex'),
    'canary',
    Buffer.from(`root:${CANARY}`).toString('base64').slice(8, -4),
  ];
  const { rows: tables } = await pool.query<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  for (const { name } of tables) {
    const found = await pool.query(
      `select 1 from ${name} t, unnest($1::text[]) s where position(s in t::text) > 0`,
      [spellings],
    );
    expect([name, found.rowCount]).toEqual([name, 0]);
  }
});
