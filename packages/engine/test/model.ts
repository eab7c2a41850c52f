/**
 * The engine under random treatment: a small random graph on a real database, workers driven by
 * hand, and whatever can happen to them in any order - late reports, dead workers, reboots, cancels,
 * changed inputs. Each invariant has its own file and asks its own question after every step.
 */
import {
  cancelRun,
  grantConsent,
  nodeLost,
  nodeRebooted,
  pauseDeployment,
  reconsiderInputs,
  recordEvidence,
  requestRefresh,
  requestRuns,
  resumeDeployment,
  retryNoderoles,
  tick,
  transaction,
  type ClaimedRun,
  type Db,
} from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import fc from 'fast-check';
import { sql } from 'kysely';
import { handWorker, type HandWorker } from './hand-worker.ts';
import { seedNoderole, seedNodes, seedRoles } from './seed-graph.ts';

const KINDS = [
  'claim',
  'claim',
  'claim',
  'claim',
  'succeed',
  'succeed',
  'succeed',
  'succeed',
  'fail',
  'wait',
  'evidence',
  'late',
  'die',
  'tick',
  'thorough',
  'request',
  'refresh',
  'cancel',
  'overdue',
  'nodeDies',
  'nodeBack',
  'reboot',
  'change',
  'retry',
  'consent',
  'pause',
  'resume',
] as const;
type Kind = (typeof KINDS)[number];

export interface Step {
  readonly kind: Kind;
  /** Which run, noderole, node or worker: an index into whatever there is. */
  readonly which: number;
}

export const steps = (length: number): fc.Arbitrary<readonly Step[]> =>
  fc.array(fc.record({ kind: fc.constantFrom(...KINDS), which: fc.nat(1000) }), {
    minLength: length,
    maxLength: length,
  });

export interface World {
  readonly database: TestDatabase;
  readonly db: Db;
  readonly nodes: readonly number[];
  readonly noderoles: readonly number[];
  /** Runs that hand workers hold, as they were claimed. */
  readonly held: { readonly worker: HandWorker; readonly run: ClaimedRun }[];
  /** Every run ever claimed: what a worker that came back late might still report. */
  readonly past: ClaimedRun[];
  apply(step: Step): Promise<void>;
  close(): Promise<void>;
}

const at = <Item>(items: readonly Item[], which: number): Item | undefined =>
  items.length === 0 ? undefined : items[which % items.length];

const seedWorld = async (db: Db) => {
  const roles = await seedRoles(db, [
    { name: 'base' },
    { name: 'net', retryLimit: 1 },
    { name: 'app', reboots: true },
    { name: 'wipe', destructive: true },
    { name: 'facts', discovery: true },
    { name: 'dns', lane: 'service' },
  ]);
  await sql`
    insert into attrib (barclamp_id, role_id, name, path)
    select barclamp_id, id, name || '-size', name || '/size' from role`.execute(db);
  const nodes = await seedNodes(db, 3);
  const noderoles: number[] = [];
  const of = (name: string) => roles.get(name) ?? 0;
  let previous: number | undefined;
  for (const node of nodes) {
    const facts = await seedNoderole(db, { role: of('facts'), node });
    const base = await seedNoderole(db, { role: of('base'), node, parents: [facts] });
    const wipe = await seedNoderole(db, { role: of('wipe'), node, parents: [facts] });
    const dns = await seedNoderole(db, { role: of('dns'), node, parents: [facts] });
    // across nodes as well, so that completions feed each other's lanes
    const net = await seedNoderole(db, {
      role: of('net'),
      node,
      parents: previous === undefined ? [base] : [base, previous],
    });
    const app = await seedNoderole(db, {
      role: of('app'),
      node,
      parents: [net, wipe],
      softParents: [dns],
    });
    noderoles.push(facts, base, wipe, dns, net, app);
    previous = base;
  }
  return { nodes, noderoles };
};

export const createWorld = async (): Promise<World> => {
  const database = await createTestDatabase();
  const { db } = database;
  const { nodes, noderoles } = await seedWorld(db);
  const { rows } = await sql<{ id: number }>`select id from deployment where system`.execute(db);
  const deploymentId = rows[0]?.id ?? 0;
  const workers = [await handWorker(db), await handWorker(db)];
  const held: { worker: HandWorker; run: ClaimedRun }[] = [];
  const past: ClaimedRun[] = [];
  const tickOptions = () => ({ workerId: workers[0]?.id ?? 0, recoverable: [] });
  const drop = (runId: number) => {
    const index = held.findIndex((entry) => entry.run.runId === runId);
    if (index >= 0) held.splice(index, 1);
  };
  const end = async (which: number, how: 'succeed' | 'fail' | 'wait') => {
    const entry = at(held, which);
    if (entry === undefined) return;
    drop(entry.run.runId);
    if (how === 'succeed') await entry.worker.succeed(entry.run, { made: which % 3 });
    else if (how === 'fail') await entry.worker.fail(entry.run);
    else await entry.worker.report(entry.run, { kind: 'waiting', evidence: 'ack' });
  };

  const actions: Record<Kind, (which: number) => Promise<unknown>> = {
    claim: async (which) => {
      const worker = at(workers, which);
      for (const run of (await worker?.claim(1 + (which % 4))) ?? []) {
        if (worker) held.push({ worker, run });
        past.push(run);
      }
    },
    succeed: (which) => end(which, 'succeed'),
    fail: (which) => end(which, 'fail'),
    wait: (which) => end(which, 'wait'),
    evidence: (which) =>
      transaction(db, (tx) => recordEvidence(tx, { nodeId: at(nodes, which) ?? 0, key: 'ack' })),
    late: async (which) => {
      const run = at(past, which);
      if (run)
        await workers[0]?.report(
          { ...run, token: run.token - 1 - (which % 3) },
          { kind: 'succeeded', wall: { late: true } },
        );
    },
    die: async (which) => {
      const index = which % workers.length;
      const dead = workers[index];
      await dead?.die();
      for (const entry of held.filter((candidate) => candidate.worker === dead))
        drop(entry.run.runId);
      workers[index] = await handWorker(db);
    },
    tick: () => tick(db, { ...tickOptions(), thorough: false }),
    thorough: () => tick(db, { ...tickOptions(), thorough: true }),
    request: (which) =>
      transaction(db, (tx) =>
        requestRuns(tx, { noderoleIds: [at(noderoles, which) ?? 0], cause: `cause ${which % 2}` }),
      ),
    refresh: (which) =>
      transaction(db, (tx) =>
        requestRefresh(tx, { noderoleIds: [at(noderoles, which) ?? 0], cause: 'data' }),
      ),
    cancel: async (which) => {
      const entry = at(held, which);
      if (entry) await cancelRun(db, { runId: entry.run.runId, actor: 'anna' }).catch(() => {});
    },
    overdue: async (which) => {
      const run = at(past, which);
      await sql`update run set deadline_at = now() - interval '1 minute' where id = ${run?.runId ?? 0} and deadline_at is not null`.execute(
        db,
      );
    },
    nodeDies: (which) =>
      transaction(db, async (tx) => {
        const nodeId = at(nodes, which) ?? 0;
        await sql`update node set alive = false where id = ${nodeId}`.execute(tx);
        await nodeLost(tx, { nodeId, reason: 'the node died' });
      }),
    nodeBack: (which) =>
      sql`update node set alive = true where id = ${at(nodes, which) ?? 0}`.execute(db),
    reboot: (which) =>
      transaction(db, async (tx) => {
        const nodeId = at(nodes, which) ?? 0;
        await sql`update node set boot_epoch = boot_epoch + 1 where id = ${nodeId}`.execute(tx);
        await nodeRebooted(tx, { nodeId });
      }),
    change: (which) =>
      transaction(db, async (tx) => {
        const id = at(noderoles, which) ?? 0;
        const { rows: names } = await sql<{
          name: string;
        }>`select r.name from noderole w join role r on r.id = w.role_id where w.id = ${id}`.execute(
          tx,
        );
        await sql`update noderole set data = ${JSON.stringify({ [names[0]?.name ?? '']: { size: which } })}::jsonb where id = ${id}`.execute(
          tx,
        );
        await reconsiderInputs(tx, { noderoleIds: [id], cause: 'size changed' });
      }),
    retry: (which) =>
      retryNoderoles(
        db,
        which % 5 === 0
          ? { deploymentId, actor: 'anna' }
          : { noderoleIds: [at(noderoles, which) ?? 0], actor: 'anna' },
      ),
    consent: async (which) => {
      const wipes = noderoles.filter((_, index) => index % 6 === 2);
      await grantConsent(db, { noderoleId: at(wipes, which) ?? 0, actor: 'anna' });
    },
    pause: () => pauseDeployment(db, { deploymentId, actor: 'anna' }),
    resume: () => resumeDeployment(db, { deploymentId, actor: 'anna' }),
  };

  return {
    database,
    db,
    nodes,
    noderoles,
    held,
    past,
    apply: async (step) => {
      await actions[step.kind](step.which);
    },
    close: () => database.close(),
  };
};

/** Random lives of a world; `check` is asked after every step and gives what is wrong. */
export const livesOf = async (options: {
  readonly lives: number;
  readonly length: number;
  readonly check: (world: World, step: Step) => Promise<readonly unknown[]>;
  readonly atEnd?: (world: World) => Promise<readonly unknown[]>;
}): Promise<void> => {
  await fc.assert(
    fc.asyncProperty(steps(options.length), async (life) => {
      const world = await createWorld();
      try {
        for (const step of life) {
          await world.apply(step);
          const wrong = await options.check(world, step);
          if (wrong.length > 0) throw new Error(`after ${step.kind}: ${JSON.stringify(wrong)}`);
        }
        const wrong = (await options.atEnd?.(world)) ?? [];
        if (wrong.length > 0) throw new Error(`at the end: ${JSON.stringify(wrong)}`);
      } finally {
        await world.close();
      }
    }),
    {
      numRuns: options.lives,
      seed: Number(process.env['FC_SEED'] ?? 20_261_115),
      endOnFailure: process.env['FC_SHRINK'] === undefined,
    },
  );
};
