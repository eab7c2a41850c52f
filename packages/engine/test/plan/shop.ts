/** What tests of commits start from, new for each: roles of every sort, three nodes, an empty deployment `shop`. */
import { HostwrightError } from '@hostwright/core';
import { bindRoles, commitSnapshot, unbindRoles, type Db } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
  ACTOR,
  addDeployment,
  addNodes,
  asBinding,
  clear,
  importRoles,
  seeNoderoles,
} from './fixture.ts';

const ROLES = [
  { name: 'base', flags: ['implicit'] },
  { name: 'dns' },
  { name: 'web', requires: ['base', 'dns'], attribs: [{ name: 'port', default: 80 }] },
  { name: 'etcd', flags: ['cluster'] },
  { name: 'api', requires: ['etcd'] },
  { name: 'wipe', flags: ['destructive'], attribs: [{ name: 'layout' }] },
  { name: 'late', after: ['base'] },
];

/** `opened` is called before each test with the world it has. */
export const useShop = (opened: (world: { readonly db: Db; readonly shop: number }) => void) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    const { db } = database;
    await clear(db);
    await importRoles(db, ROLES);
    await addNodes(db, ['n1', 'n2', 'n3']);
    opened({ db, shop: (await addDeployment(db, 'shop')).id });
  });
  afterAll(() => database.close());

  const edit = (snapshotId: number, pairs: readonly string[]) => ({
    snapshotId,
    actor: ACTOR,
    bindings: pairs.map(asBinding),
  });
  return {
    bind: async (snapshotId: number, pairs: readonly string[]): Promise<void> => {
      const answer = await bindRoles(database.db, edit(snapshotId, pairs));
      if (answer.refusals.length > 0) throw new Error(JSON.stringify(answer.refusals));
    },
    unbind: (snapshotId: number, pairs: readonly string[]) =>
      unbindRoles(database.db, edit(snapshotId, pairs)),
    commit: (snapshotId: number, more: Partial<Parameters<typeof commitSnapshot>[1]> = {}) =>
      commitSnapshot(database.db, { snapshotId, actor: ACTOR, ...more }),
    states: async (): Promise<Record<string, string>> =>
      Object.fromEntries(
        Object.entries(await seeNoderoles(database.db)).map(([name, { state }]) => [name, state]),
      ),
  };
};

export const refusalOf = async (work: Promise<unknown>): Promise<HostwrightError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof HostwrightError) return error;
  throw new Error(`not refused: ${String(error)}`);
};
