/** The two functions that write batches: they keep the law, tell what the triggers would tell, and leave what is not plain. */
import {
  completeRuns,
  readEvents,
  removeNoderoles,
  reportRuns,
  requestRuns,
  retryNoderoles,
  sequenceEvents,
  START,
  transaction,
  type ClaimedRun,
  type EventRecord,
} from '@hostwright/engine';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { annealerWorld } from './annealer-world.ts';
import { noderole } from './hand-worker.ts';
import { readState, seedNoderole, seedNodes } from './seed-graph.ts';

const world = annealerWorld(
  [
    { name: 'a' },
    { name: 'b' },
    { name: 'c' },
    { name: 'again', retryLimit: 3 },
    { name: 'torn', teardown: true },
    { name: 'dns', lane: 'service' },
  ],
  3,
);
const { role, thorough } = world;

const succeeded = (runs: readonly ClaimedRun[]) =>
  runs.map((run) => ({
    runId: run.runId,
    token: run.token,
    outcome: { kind: 'succeeded' } as const,
  }));

/** On each node a, then b, then c; c also needs b of the first node, and dns has no order at all. */
const seedGraph = async (on: readonly number[]): Promise<void> => {
  let shared: number | undefined;
  for (const node of on) {
    const a = await seedNoderole(world.db, { role: role('a'), node });
    const b = await seedNoderole(world.db, { role: role('b'), node, parents: [a] });
    shared ??= b;
    await seedNoderole(world.db, {
      role: role('c'),
      node,
      parents: b === shared ? [b] : [b, shared],
    });
    await seedNoderole(world.db, { role: role('dns'), node });
  }
};

const told = async (on: readonly number[]): Promise<readonly string[]> => {
  await sequenceEvents(world.db);
  const { rows } = await sql<EventRecord & { role: string; nth: number }>`
    select e.kind, e.payload, coalesce(r.name, '') as role, array_position(${[...on]}::bigint[], e.node_id) as nth
    from event_record e left join noderole w on w.id = e.noderole_id left join role r on r.id = w.role_id
    where e.node_id = any(${[...on]}::bigint[]) and e.kind <> 'node.created' order by e.id`.execute(
    world.db,
  );
  return rows
    .map(({ kind, payload, role: name, nth }) => {
      const { from, to, reason, cause, kind: of, lane, error } = payload;
      return JSON.stringify([nth, name, kind, { from, to, reason, cause, of, lane, error }]);
    })
    .toSorted();
};

test('a batch tells event by event what a decision for each run would tell', async () => {
  const { db, nodes, worker } = world;
  const others = await seedNodes(db, 3, 'other');
  await seedGraph(nodes);
  for (;;) {
    const runs = await worker.claim(50);
    if (runs.length === 0) break;
    await reportRuns(db, succeeded(runs));
  }
  await seedGraph(others);
  for (;;) {
    const runs = await worker.claim(50);
    if (runs.length === 0) break;
    await transaction(db, (tx) => completeRuns(tx, succeeded(runs)));
  }
  const batched = await told(nodes);
  expect(batched.length).toBeGreaterThan(40);
  expect(batched).toEqual(await told(others));
});

test('events that share a row are read one by one, each once and in order, whatever the page', async () => {
  const { db, nodes, worker } = world;
  await seedGraph(nodes);
  await worker.finish();
  await sequenceEvents(db);
  const filter = { nodeIds: nodes };
  const all = (await readEvents(db, { after: START, limit: 10_000, filter })).events;
  for (const limit of [1, 2, 5]) {
    const seen: number[] = [];
    for (let after = START; ;) {
      const page = await readEvents(db, { after, limit, filter });
      seen.push(...page.events.map((event) => event.id));
      after = page.cursor;
      if (!page.more) break;
    }
    expect(seen).toEqual(all.map((event) => event.id));
  }
  expect(new Set(all.map((event) => event.id)).size).toBe(all.length);
});

test('one noderole that needs a decision does not keep the others of its batch', async () => {
  const { db, nodes, worker } = world;
  const [first = 0, second = 0] = nodes;
  const moved = await seedNoderole(db, { role: role('a'), node: first });
  const plain = await seedNoderole(db, { role: role('a'), node: second });
  const runs = await worker.claim();
  await transaction(db, (tx) => requestRuns(tx, { noderoleIds: [moved], cause: 'data changed' }));
  const { accepted } = await reportRuns(db, succeeded(runs));
  expect(new Set(accepted)).toEqual(new Set(runs.map((run) => run.runId)));
  expect(await noderole(db, moved)).toMatchObject({ state: 'active', run_id: null });
  expect(await noderole(db, plain)).toMatchObject({ state: 'active', run_id: null });
});

test('the law holds in a batch: only its own three changes of state are possible', async () => {
  const { db, nodes, worker } = world;
  const id = await seedNoderole(db, { role: role('a'), node: nodes[0] ?? 0 });
  const inBatch = (to: string) =>
    transaction(db, async (tx) => {
      await sql`select set_config('hostwright.tells', 'batch', true)`.execute(tx);
      await sql`update noderole set state = ${to} where id = ${id}`.execute(tx);
    });
  for (const to of ['active', 'error', 'proposed', 'blocked'])
    await expect(inBatch(to)).rejects.toThrow(/may not go from todo/);
  // and whoever claims to be one ends with its transaction
  await worker.finish();
  expect(await readState(db, id)).toBe('active');
});

test('a run that fails and would be tried again after its commit was halted is held with the rest', async () => {
  const { db, nodes, worker } = world;
  const { rows } = await sql<{ id: number }>`
    insert into snapshot (deployment_id, revision, state, created_by, stop_after_failures)
    select id, 1000, 'superseded', 'anna', 1 from deployment where system returning id`.execute(db);
  const snapshot = rows[0]?.id ?? 0;
  const id = await seedNoderole(db, { role: role('again'), node: nodes[0] ?? 0, snapshot });
  const [run] = await worker.claim();
  await sql`update snapshot set halted_at = now(), halted_reason = 'test' where id = ${snapshot}`.execute(
    db,
  );
  await worker.fail(run);
  expect(await noderole(db, id)).toMatchObject({ state: 'todo', holds: ['halted'] });
  expect(await worker.claim()).toEqual([]);
});

test('retrying a noderole whose teardown is under way queues no second teardown', async () => {
  const { db, nodes, worker } = world;
  const id = await seedNoderole(db, { role: role('torn'), node: nodes[0] ?? 0 });
  await worker.finish();
  await transaction(db, (tx) => removeNoderoles(tx, { noderoleIds: [id], actor: 'anna' }));
  const [teardown] = await worker.claim();
  expect(teardown?.kind).toBe('teardown');
  const answer = await retryNoderoles(db, { noderoleIds: [id], actor: 'anna' });
  expect(answer.retried).toEqual([]);
  const { rows } =
    await sql`select from run where noderole_id = ${id} and kind = 'teardown'`.execute(db);
  expect(rows).toHaveLength(1);
  await worker.succeed(teardown);
  expect(await worker.claim()).toEqual([]);
});

test('a lane counted wrong is counted anew under its lock', async () => {
  const { db, node, worker } = world;
  await seedNoderole(db, { role: role('a'), node });
  await sql`update node_lane set ready = 7, queued = 3, busy = true where node_id = ${node}`.execute(
    db,
  );
  await thorough();
  const { rows } = await sql`
    select lane, ready, queued, busy from node_lane where node_id = ${node} order by lane`.execute(
    db,
  );
  expect(rows).toEqual([
    { lane: 'host', ready: 1, queued: 0, busy: false },
    { lane: 'service', ready: 0, queued: 0, busy: false },
  ]);
  await worker.finish();
});
