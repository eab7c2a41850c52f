/**
 * Machines that do their work and are given back: a server, a worker, and a role whose teardown ends
 * when the test says so. Nothing carries erasures on but the test.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { carryReleases } from '@hostwright/boot';
import {
  explainAttribs,
  importBarclamp,
  lockTree,
  reportHello,
  SILENT,
  startWorker,
  type Outcome,
  type Tx,
  type Worker,
} from '@hostwright/engine';
import { createRoleProvidedJig, noopJig } from '@hostwright/jigs';
import { eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect } from 'vitest';
import { createInstalling, createWorld, type World } from './world.ts';

const BYTES = 8_000_000_000;
export const DISKS = [
  { name: 'sda', serial: 'S1', size_bytes: BYTES, signatures: [] },
  { name: 'sdb', serial: 'S2', size_bytes: BYTES, signatures: [] },
];
const WATCH = `name: watch
version: 1.0.0
description: Watched by a monitoring of others
roles:
  - { name: watched, description: Known to the monitoring, jig: role-provided, teardown: true }
`;

/** In a test file, once: made before its tests and taken down after them. */
export const useReleases = () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-release-'));
  let world: World;
  let worker: Worker;
  let restarts = 0;
  /** How the teardown on a node ends, once the test says so. */
  const teardowns = new Map<string, PromiseWithResolvers<Outcome>>();
  const teardownOf = (node: string): PromiseWithResolvers<Outcome> => {
    const known = teardowns.get(node) ?? Promise.withResolvers<Outcome>();
    teardowns.set(node, known);
    return known;
  };

  beforeAll(async () => {
    world = await createWorld({});
    const { db } = world.database;
    for (const name of ['noop', 'role-provided', 'script'])
      await db.insertInto('jig').values({ name }).execute();
    mkdirSync(join(folder, 'watch'));
    writeFileSync(join(folder, 'watch/barclamp.yml'), WATCH);
    const shipped = ['core', 'network', 'provisioner'].map((name) =>
      fileURLToPath(new URL(`../../../barclamps/${name}`, import.meta.url)),
    );
    for (const one of [...shipped, join(folder, 'watch')])
      await importBarclamp(db, { folder: one, actor: 'test' });
    const erase = createInstalling(world.database, () => restarts++);
    worker = await startWorker({
      database: world.database,
      log: SILENT,
      name: 'release',
      tickMs: 200,
      jigs: [
        noopJig,
        createRoleProvidedJig({
          find: async (_barclamp, role) =>
            role === 'watched'
              ? async (handle) =>
                  handle.kind === 'teardown'
                    ? teardownOf(handle.node.name).promise
                    : { kind: 'succeeded' }
              : erase,
        }),
      ],
    });
  });
  afterAll(async () => {
    for (const { resolve } of teardowns.values()) resolve({ kind: 'succeeded' });
    await worker.stop();
    await world.stop();
    rmSync(folder, { recursive: true });
  });

  const post = (url: string, body?: unknown) =>
    world.ask('operator', { method: 'POST', url, body });
  const carry = () => carryReleases(world.database, SILENT);
  const why = async (node: string): Promise<{ sentence: string; command: string | null }> =>
    (await world.ask('viewer', { url: `/nodes/${node}/why` })).json;
  const noderole = async (node: string, role: string) =>
    (await world.ask('viewer', { url: `/noderoles?node=${node}&role=${role}` })).json.items[0];
  /** Leave that was given to erase the machine. */
  const erasures = async (node: string) =>
    world.database.db
      .selectFrom('consent')
      .innerJoin('noderole', 'noderole.id', 'consent.noderole_id')
      .innerJoin('node', 'node.id', 'noderole.node_id')
      .innerJoin('role', 'role.id', 'noderole.role_id')
      .select(['consent.disks', 'consent.granted_by'])
      .where('node.name', '=', node)
      .where('role.name', '=', 'provisioner-erase')
      .execute();
  const eraseData = async (node: string) => {
    const { id } = await noderole(node, 'provisioner-erase');
    return (await explainAttribs(world.database.db, { noderoleId: id })).attribs['erase'];
  };
  const openProposals = async (deployment = 'released') => {
    const { rows } = await sql`
      select s.created_by from snapshot s join deployment d on d.id = s.deployment_id
      where d.name = ${deployment} and s.state = 'proposed'`.execute(world.database.db);
    return rows;
  };

  const addMachine = async (node: string): Promise<void> => {
    const { json: made } = await post('/nodes', { name: node, bootenv: 'discovery' });
    await world.database.db
      .updateTable('node')
      .set({ discovery: JSON.stringify({ disks: DISKS }) })
      .where('id', '=', made.id)
      .execute();
    await reportHello(world.database.db, { nodeId: made.id, bootId: randomUUID() });
  };
  const setAlive = (node: string, alive: boolean) =>
    world.database.db.updateTable('node').set({ alive }).where('name', '=', node).execute();
  const bind = async (deployment: string, node: string): Promise<void> => {
    await post('/deployments', { name: deployment });
    const { json: snapshot } = await post(`/deployments/${deployment}/snapshots`);
    const bound = await post(`/snapshots/${snapshot.id}/bind`, {
      bindings: [{ role: 'watched', node }],
    });
    expect(bound.json.refusals ?? [], bound.text).toEqual([]);
    const committed = await post(`/snapshots/${snapshot.id}/commit`);
    expect(committed.status, committed.text).toBe(200);
    await eventually(async () => (await noderole(node, 'watched'))?.state === 'active');
  };
  const giveBack = async (node: string): Promise<void> => {
    await bind(`of-${node}`, node);
    const asked = await post(`/nodes/${node}/release`, { erase: { disks: ['S1', 'sdb'] } });
    expect(asked.status, asked.text).toBe(202);
    expect(asked.json).toMatchObject({
      pending: ['watched'],
      erasing: [],
      toErase: [{ serial: 'S1' }, { serial: 'S2' }],
    });
  };
  /** A machine that does its work, and is given back while its teardown has yet to end. */
  const release = async (node: string): Promise<void> => {
    await addMachine(node);
    await giveBack(node);
  };
  const endTeardown = async (node: string, outcome: Outcome): Promise<void> => {
    teardownOf(node).resolve(outcome);
    const wanted = outcome.kind === 'succeeded' ? undefined : 'error';
    await eventually(async () => (await noderole(node, 'watched'))?.state === wanted);
  };

  /** Begins something whose commit has to wait, and does something else meanwhile. */
  const holdingCommits = async <Result>(
    begin: () => Promise<Result>,
    meanwhile: (tx: Tx) => Promise<unknown>,
  ): Promise<Result> => {
    const { db } = world.database;
    const { begun } = await db.transaction().execute(async (tx) => {
      // all that the commit goes by has been read when it waits for this
      await lockTree(tx, 'alone');
      const begun = begin();
      await eventually(async () => {
        const { rows } = await sql<{ waits: number }>`
          select count(*)::int as waits from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`.execute(
          db,
        );
        return (rows[0]?.waits ?? 0) > 0;
      });
      await meanwhile(tx);
      return { begun };
    });
    return begun;
  };

  return {
    get world() {
      return world;
    },
    restarts: () => restarts,
    /** The next one on the node is to end otherwise. */
    forgetTeardown: (node: string) => teardowns.delete(node),
    addMachine,
    bind,
    carry,
    endTeardown,
    eraseData,
    erasures,
    giveBack,
    holdingCommits,
    noderole,
    openProposals,
    post,
    release,
    setAlive,
    why,
  };
};
