/**
 * What most tests of the annealer stand on: a database for the file with the roles it names; for
 * each test a worker driven by hand and nodes of its own; and after each test every counter counted
 * again, so that a test fails also for what it did not look at.
 */
import { tick, type Db } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { handWorker, wrongLanes, wrongPending, type HandWorker } from './hand-worker.ts';
import { seedNodes, seedRoles, type SeedRole } from './seed-graph.ts';

export interface AnnealerWorld {
  readonly database: TestDatabase;
  readonly db: Db;
  /** These three are made anew for each test: read them inside it. */
  readonly worker: HandWorker;
  readonly nodes: readonly number[];
  readonly node: number;
  readonly role: (name: string) => number;
  /** One tick that looks at everything. */
  readonly thorough: () => ReturnType<typeof tick>;
}

export const annealerWorld = (roles: readonly SeedRole[], nodesPerTest = 1): AnnealerWorld => {
  let database: TestDatabase;
  let ids: ReadonlyMap<string, number>;
  let worker: HandWorker;
  let nodes: readonly number[];
  let round = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    ids = await seedRoles(database.db, roles);
  });
  beforeEach(async () => {
    worker = await handWorker(database.db);
    nodes = await seedNodes(database.db, nodesPerTest, `r${++round}x`);
  });
  afterEach(async () => {
    expect(await wrongLanes(database.db)).toEqual([]);
    expect(await wrongPending(database.db)).toEqual([]);
    await sql`update node set available = false`.execute(database.db);
  });
  afterAll(() => database.close());

  return {
    get database() {
      return database;
    },
    get db() {
      return database.db;
    },
    get worker() {
      return worker;
    },
    get nodes() {
      return nodes;
    },
    get node() {
      return nodes[0] ?? 0;
    },
    role: (name) => ids.get(name) ?? 0,
    thorough: () => tick(database.db, { workerId: worker.id, recoverable: [], thorough: true }),
  };
};
