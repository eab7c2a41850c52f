import { claimRuns, registerWorker, reportRuns, type ClaimedRun } from '@hostwright/engine';
import { createTestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { wrongLanes, wrongPending } from './hand-worker.ts';
import { seedChains, seedNodes, seedRoles } from './seed-graph.ts';

test('24 claimers on 6 nodes never hold two runs of one lane, and leave nothing undone', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const names = Array.from({ length: 50 }, (_, index) => `r${index}`);
  const roles = await seedRoles(
    db,
    names.map((name) => ({ name })),
  );
  const nodes = await seedNodes(db, 6);
  // half the work is a chain, half is free: both kinds of contention
  await seedChains(db, [...roles.values()].slice(0, 25), nodes);
  await sql`
    insert into noderole (deployment_id, role_id, node_id, lane, state, cause)
    select d.id, r.id, n.id, 'host', 'todo', 'commit 1' from deployment d, role r, node n
    where d.system and r.id = any(${[...roles.values()].slice(25)}::bigint[])`.execute(db);
  const held = new Map<number, number>();
  const overlaps: string[] = [];
  let done = 0;
  const claimer = async (): Promise<void> => {
    const workerId = await registerWorker(db, { name: 'claimer', concurrency: 1 });
    await sql`update worker set lease_until = now() + interval '1 hour' where id = ${workerId}`.execute(
      db,
    );
    while (done < 300) {
      const { runs } = await claimRuns(db, { workerId, limit: 2 });
      for (const run of runs) {
        if (held.has(run.node.id))
          overlaps.push(`${run.node.name}: ${held.get(run.node.id)} and ${run.runId}`);
        held.set(run.node.id, run.runId);
      }
      await new Promise((resolve) => setImmediate(resolve));
      for (const run of runs) held.delete(run.node.id);
      await report(runs);
      done += runs.length;
    }
  };
  const report = (runs: readonly ClaimedRun[]) =>
    reportRuns(
      db,
      runs.map((run) => ({
        runId: run.runId,
        token: run.token,
        outcome: { kind: 'succeeded' } as const,
      })),
    );
  await Promise.all(Array.from({ length: 24 }, claimer));
  expect(overlaps).toEqual([]);
  const { rows } = await sql<{
    state: string;
    n: number;
  }>`select state, count(*) as n from noderole group by state`.execute(db);
  expect(rows).toEqual([{ state: 'active', n: 300 }]);
  // the same, as the database saw it
  const { rows: seen } = await sql`
    select from run a join run b on b.node_id = a.node_id and b.lane = a.lane and b.id > a.id
    where b.started_at < a.ended_at and a.started_at < b.ended_at and b.started_at >= a.started_at and a.ended_at > b.started_at`.execute(
    db,
  );
  expect(seen).toEqual([]);
  expect(await wrongLanes(db)).toEqual([]);
  expect(await wrongPending(db)).toEqual([]);
});

test('a claim reads what it takes, not what is at rest', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const roles = await seedRoles(
    db,
    Array.from({ length: 10 }, (_, index) => ({ name: `r${index}` })),
  );
  await seedChains(db, [...roles.values()], await seedNodes(db, 1000));
  await sql`alter table noderole disable trigger user`.execute(db);
  await sql`update noderole set state = 'active', pending = 0`.execute(db);
  await sql`update node_lane set ready = 0`.execute(db);
  await sql`delete from unsettled`.execute(db);
  await sql`alter table noderole enable trigger user`.execute(db);
  await sql`analyze`.execute(db);
  const plan = async (text: string): Promise<string> => {
    const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  const lanes = await plan(
    'select node_id, lane from node_lane where open and ready > 0 and not busy order by priority desc, ready_since limit 250 for update skip locked',
  );
  expect(lanes).toContain('Index Scan using node_lane_claimable');
  expect(lanes).not.toContain('Sort');
  const best = await plan(
    "select id from noderole where node_id = 1 and lane = 'host' and state = 'todo' and holds = '{}' order by priority desc, cohort, id limit 1 for update skip locked",
  );
  // the node's own noderoles and no others: an index that knows states would cost each change of one
  expect(best).toContain('using noderole_role_bound_once_per_node');
  expect(best).toContain('Index Cond: (node_id = 1)');
  expect(best).not.toContain('Seq Scan');
  // what the tick looks for among those not at rest
  expect(
    await plan(
      "select from unsettled u join noderole p on p.id = u.noderole_id where p.state = 'error'",
    ),
  ).toContain('Index Cond: (id = u.noderole_id)');
  expect(
    await plan('select from noderole where not_before is not null and not_before <= now()'),
  ).toContain('noderole_backoff');
});
