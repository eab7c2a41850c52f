import { createTestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  createNode,
  explainNode,
  explainNoderole,
  pauseDeployment,
  putHammer,
  setAnnealer,
  setJigActive,
  setNodeAlive,
  transaction,
  updateNode,
  type Db,
} from '@hostwright/engine';
import { seedNodes, seedNoderole, seedRoles } from '../seed-graph.ts';

const kindOf = async (db: Db, id: number) => (await explainNoderole(db, id)).cause.kind;
const addWorker = (db: Db) =>
  sql`insert into worker (name, lease_until) values ('w1', now() + interval '1 hour')`.execute(db);
const SYSTEM = 1;

test('each thing that can keep a noderole is seen as soon as the one before it is cleared', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const roles = await seedRoles(db, [{ name: 'a', jig: 'noop' }, { name: 'b' }]);
  const [nodeId = 0, otherNode = 0] = await seedNodes(db, 2);
  await sql`update node set boot_epoch = 1, boot_id = 'b'`.execute(db);
  const id = await seedNoderole(db, { role: roles.get('a') ?? 0, node: nodeId });
  await pauseDeployment(db, { deploymentId: SYSTEM, actor: 'anna' });
  await setJigActive(db, { jig: 'noop', active: false, actor: 'anna' });
  await transaction(db, (tx) => setNodeAlive(tx, { nodeId, alive: false, reason: 'silent' }));
  await updateNode(db, { node: nodeId, changes: { available: false }, actor: 'anna' });
  await setAnnealer(db, { mode: 'drain' });
  const seen: string[] = [];
  const clear = async (undo: () => Promise<unknown>) => {
    seen.push(await kindOf(db, id));
    await undo();
  };
  await clear(() => sql`update deployment set paused = false`.execute(db));
  await clear(() => setJigActive(db, { jig: 'noop', active: true, actor: 'anna' }));
  await clear(() => transaction(db, (tx) => setNodeAlive(tx, { nodeId, alive: true, reason: '' })));
  await clear(() => updateNode(db, { node: nodeId, changes: { available: true }, actor: 'anna' }));
  await clear(() => setAnnealer(db, { mode: 'manual' }));
  await clear(() => setAnnealer(db, { mode: 'auto' }));
  await clear(() => addWorker(db));
  await clear(async () => {
    const other = await seedNoderole(db, { role: roles.get('b') ?? 0, node: nodeId });
    await sql`
      insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, status, worker_id, deadline_at, started_at)
      values (${other}, ${nodeId}, ${roles.get('b')}, ${SYSTEM}, 'host', 'noop', 'running', 1, now() + interval '1 hour', now())`.execute(
      db,
    );
  });
  await clear(() => Promise.resolve());
  expect(seen).toEqual([
    'paused',
    'jig_off',
    'not_alive',
    'not_available',
    'annealer_drain',
    'annealer_manual',
    'no_worker',
    'queue',
    'lane_busy',
  ]);
  expect(await explainNode(db, otherNode)).toMatchObject({ cause: { kind: 'undefined' } });
});

test('a blocked noderole names the root of it across nodes, whether it failed or only waits', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await addWorker(db);
  const roles = await seedRoles(
    db,
    ['a', 'b', 'c', 'd'].map((name) => ({ name })),
  );
  const [one = 0, two = 0] = await seedNodes(db, 2);
  await sql`update node set boot_epoch = 1`.execute(db);
  const role = (name: string) => roles.get(name) ?? 0;
  const a = await seedNoderole(db, { role: role('a'), node: one });
  const b = await seedNoderole(db, { role: role('b'), node: one, parents: [a] });
  const c = await seedNoderole(db, { role: role('c'), node: two, parents: [b] });
  await transaction(db, (tx) =>
    setNodeAlive(tx, { nodeId: one, alive: false, reason: 'silent since noon' }),
  );
  expect(await explainNoderole(db, c)).toEqual({
    sentence:
      'c on n2 is blocked, because a on n1 waits: n1 is not alive: silent since noon; it has no hammer, so somebody has to look at the machine',
    cause: { kind: 'not_alive', noderoleId: a, nodeId: one, deploymentId: SYSTEM },
    command: null,
  });
  await putHammer(db, { node: one, kind: 'ipmi', actor: 'test' });
  expect(await explainNoderole(db, c)).toMatchObject({
    sentence: 'c on n2 is blocked, because a on n1 waits: n1 is not alive: silent since noon',
    command: 'hostwright node actions n1',
  });
  await sql`update noderole set state = 'error', reason = 'exit code 7' where id = ${a}`.execute(
    db,
  );
  await sql`update noderole set blocked_by = ${a} where id in (${b}, ${c})`.execute(db);
  expect(await explainNoderole(db, c)).toMatchObject({
    sentence: 'c on n2 is blocked, because a on n1 failed: exit code 7',
    command: 'hostwright retry n1/a',
  });
  expect(await explainNode(db, 'n2')).toMatchObject({ cause: { kind: 'error', noderoleId: a } });
  const active = await seedNoderole(db, {
    role: role('d'),
    node: two,
    parents: [b],
    state: 'active',
  });
  await sql`update noderole set degraded_by = ${a} where id = ${active}`.execute(db);
  expect(await explainNoderole(db, active)).toMatchObject({
    cause: { kind: 'degraded' },
    command: 'hostwright retry n1/a',
  });
});

test('a failed run gives its last line, a waiting one its evidence and deadline', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await addWorker(db);
  const roles = await seedRoles(db, [{ name: 'a' }, { name: 'b' }]);
  const [one = 0, two = 0] = await seedNodes(db, 2);
  await sql`update node set boot_epoch = 1`.execute(db);
  const failed = await seedNoderole(db, { role: roles.get('a') ?? 0, node: one });
  const waiting = await seedNoderole(db, { role: roles.get('b') ?? 0, node: two });
  const { rows } = await sql<{ id: number; noderole_id: number }>`
    insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, status, waiting_for, deadline_at, started_at, error)
    select id, node_id, role_id, deployment_id, lane, 'noop', case when id = ${failed} then 'failed' else 'waiting' end, 'agent-result',
      now() + interval '10 minutes 50 seconds', now() - interval '3 minutes', 'exit code 1' from noderole order by id
    returning id, noderole_id`.execute(db);
  const runOf = (id: number) => rows.find((row) => row.noderole_id === id)?.id;
  await sql`insert into run_log (run_id, seq, stream, text) values (${runOf(failed)}, 1, 'out', 'reading'), (${runOf(failed)}, 2, 'err', 'E: no space left')`.execute(
    db,
  );
  await sql`update noderole set state = 'error', reason = 'exit code 1' where id = ${failed}`.execute(
    db,
  );
  await sql`update noderole set state = 'transition', run_id = ${runOf(waiting)} where id = ${waiting}`.execute(
    db,
  );
  expect(await explainNoderole(db, failed)).toMatchObject({
    sentence: 'a on n1 failed: exit code 1; its last line: E: no space left',
  });
  expect(await explainNoderole(db, waiting)).toMatchObject({
    sentence: 'b on n2 has waited for agent-result for 3 minutes, its deadline is in 11 minutes',
    command: `hostwright logs -f ${runOf(waiting)}`,
  });
});

test('a node nobody has seen says how to make it join', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await createNode(db, { name: 'fresh', actor: 'test' });
  expect(await explainNode(db, 'fresh')).toEqual({
    sentence: 'fresh has never been seen: its agent has not called yet',
    cause: { kind: 'never_seen', nodeId: expect.any(Number) },
    command: 'hostwright join-command',
  });
  await expect(explainNode(db, 'nobody')).rejects.toMatchObject({ code: 'not_found' });
  await expect(explainNoderole(db, 4711)).rejects.toMatchObject({ code: 'not_found' });
});
