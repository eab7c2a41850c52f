/** A server that refuses one node's data has answered, but does not hold it: nothing goes on as if it did. */
import { explainNoderole } from '@hostwright/engine';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { feedServer, registerBootServer, rescueNode, sweepInstalls } from '../src/index.ts';
import type { AppliedNode } from '../src/feed/feed-server.ts';
import { openInstallWorld } from './install-world.ts';

const world = await openInstallWorld();
afterAll(world.close);
const { db } = world.database;

let serverId = 0;
beforeEach(async () => {
  serverId = await registerBootServer(db, { name: 'dhcp-east', kind: 'kea' });
});
afterEach(() => db.deleteFrom('boot_server').execute());

/** Brings the server up to date; `answer` is what it says of single nodes, the others it takes. */
const feed = (answer: ReadonlyMap<number, Omit<AppliedNode, 'nodeId' | 'evidence'>> = new Map()) =>
  feedServer(db, {
    serverId,
    driver: {
      kind: 'kea',
      apply: async (nodes) =>
        nodes.map(({ nodeId }) => ({ nodeId, evidence: 'answered', ...answer.get(nodeId) })),
    },
  });
const REASON = 'duplicate key value violates unique constraint "hosts_address"';

test('a refused node ends its installation before the machine is touched, another goes on, and a retry that is taken does too', async () => {
  const machine = await world.setUp();
  const other = await world.setUp();
  await machine.step();
  await other.step();
  await feed(new Map([[machine.nodeId, { error: REASON }]]));
  const outcome = await machine.step();
  const reason = `nothing was done to the machine: dhcp-east refused the data of ${machine.name}: ${REASON}`;
  expect(outcome).toEqual({ kind: 'failed', reason, retryable: false, blame: 'operator' });
  expect(machine.restarts()).toBe(0);
  expect(await machine.phase()).toMatchObject({ phase: 'failed', error: reason });
  expect(await machine.node()).toEqual({ alive: true, alive_hold: null, bootenv: 'discovery' });
  await other.step();
  expect([other.restarts(), (await other.phase()).phase]).toEqual([1, 'boot']);

  const { rows } = await sql<{ id: number }>`
    update noderole set state = 'error', reason = ${reason} where node_id = ${machine.nodeId} returning id`.execute(
    db,
  );
  expect((await explainNoderole(db, rows[0]?.id ?? 0)).sentence).toContain(
    `failed: ${reason}; it was in phase acks`,
  );

  const again = await machine.again();
  await again.step();
  // the refusal of the last attempt is about an older version
  expect((await again.phase()).phase).toBe('acks');
  await feed();
  await again.step();
  expect([machine.restarts(), (await again.phase()).phase]).toEqual([1, 'boot']);
});

test('what is merely remarked of a node holds nothing up: the server took what it was sent', async () => {
  const machine = await world.setUp();
  await sql`update node set macs = macs || 'no mac'::text where id = ${machine.nodeId}`.execute(db);
  await machine.step();
  await feed();
  const ack = await db
    .selectFrom('boot_ack')
    .select(['error', 'refused'])
    .where('node_id', '=', machine.nodeId)
    .executeTakeFirstOrThrow();
  expect(ack).toEqual({ error: 'a MAC of the node is not valid', refused: null });
  await machine.step();
  expect([machine.restarts(), (await machine.phase()).phase]).toEqual([1, 'boot']);
});

test('one that was put off is waited for, and an installation that waited in vain names the server and its words', async () => {
  const machine = await world.setUp();
  await machine.step();
  const put = new Map([[machine.nodeId, { error: 'NOTAUTH for lab.test', later: true as const }]]);
  await expect(feed(put)).rejects.toThrow('NOTAUTH for lab.test');
  expect(await machine.step()).toMatchObject({ kind: 'waiting' });
  await db
    .updateTable('os_install')
    .set({ phase_deadline: new Date(0) })
    .where('run_id', '=', machine.runId)
    .execute();
  await sweepInstalls(db);
  expect(await machine.step()).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(/phase acks\); dhcp-east has not: NOTAUTH for lab\.test$/),
  });
  expect(machine.restarts()).toBe(0);
});

test('a rescue of a refused node restarts nothing either', async () => {
  const machine = await world.setUp();
  await sql`insert into boot_file (path, sha256, size) select path, repeat('b', 64), 1 from boot_env, unnest(initrds || kernel) path where name = 'rescue' on conflict do nothing`.execute(
    db,
  );
  await db.updateTable('node').set({ bootenv: 'local' }).where('id', '=', machine.nodeId).execute();
  let restarts = 0;
  const rescue = rescueNode(db, {
    node: machine.name,
    actor: 'ann',
    restart: async () => {
      restarts++;
      return { ok: true, how: 'test', notes: [] };
    },
    pause: async () => {
      await feed(new Map([[machine.nodeId, { error: REASON }]]));
    },
  });
  await expect(rescue).rejects.toThrow(
    `nothing was done: dhcp-east refused the data of ${machine.name}: ${REASON}`,
  );
  expect(restarts).toBe(0);
  expect((await machine.node()).bootenv).toBe('local');
});

test('a refusal of long ago does not keep a machine from its rescue: the server is asked again', async () => {
  const machine = await world.setUp();
  await feed(new Map([[machine.nodeId, { error: REASON }]]));
  const before = (await machine.node()).bootenv;
  expect(before).toBe('discovery');
  const rescued = await rescueNode(db, {
    node: machine.name,
    actor: 'ann',
    restart: async () => ({ ok: true, how: 'test', notes: [] }),
    pause: async () => {
      await feed();
    },
  });
  expect(rescued).toMatchObject({ ok: true, rescued: { restarted: true } });
});
