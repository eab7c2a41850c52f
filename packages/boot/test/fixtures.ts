/** Rows that many tests need. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@hostwright/engine';
import { sql } from 'kysely';
import {
  answerBootRequest,
  createNetwork,
  listBoots,
  openFileStore,
  type BootDeps,
  type NetworkSpec,
} from '../src/index.ts';

export const addNode = async (
  database: Database,
  values: {
    name: string;
    macs?: string[];
    uuid?: string;
    serial?: string;
    bootenv?: string;
    alive?: boolean;
  },
): Promise<number> => {
  const system = await database.db
    .selectFrom('deployment')
    .select('id')
    .where('system', '=', true)
    .executeTakeFirstOrThrow();
  const { id } = await database.db
    .insertInto('node')
    .values({
      name: values.name,
      deployment_id: system.id,
      macs: values.macs ?? [],
      system_uuid: values.uuid ?? null,
      serial: values.serial ?? null,
      bootenv: values.bootenv ?? 'local',
      alive: values.alive ?? false,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
};

/** A role of its own barclamp, bound to the node as a commit would leave it. */
export const bindRole = async (database: Database, nodeId: number, role: string): Promise<void> => {
  const { db } = database;
  await sql`insert into jig (name) values ('noop') on conflict do nothing`.execute(db);
  await sql`
    with made as (
      insert into barclamp (name, version, source_path, content_hash) values (${role}, '1', '/', 'x') returning id
    ), r as (
      insert into role (barclamp_id, name, jig) select id, ${role}, 'noop' from made returning id
    )
    insert into noderole (deployment_id, role_id, node_id, lane, state)
    select n.deployment_id, r.id, n.id, 'host', 'active' from r, node n where n.id = ${nodeId}`.execute(
    db,
  );
};

export const ADMIN_NETWORK: NetworkSpec = {
  name: 'admin',
  category: 'admin',
  group: 'house',
  domain: 'lab.test',
  ranges: [
    {
      name: 'host',
      kind: 'host',
      subnet: '192.168.77.0/24',
      first: '192.168.77.10',
      last: '192.168.77.99',
    },
    {
      name: 'dhcp',
      kind: 'dhcp',
      subnet: '192.168.77.0/24',
      first: '192.168.77.100',
      last: '192.168.77.250',
    },
  ],
  routers: [{ address: '192.168.77.1' }],
};

export const addNetwork = async (
  database: Database,
  spec: NetworkSpec,
): Promise<Readonly<Record<string, number>>> => {
  const made = await database.db.transaction().execute((tx) => createNetwork(tx, spec));
  if (!made.ok) throw new Error(JSON.stringify(made.refusals));
  return made.rangeIds;
};

export const bootDeps = (database: Database, over: Partial<BootDeps> = {}): BootDeps => ({
  database,
  files: openFileStore(mkdtempSync(join(tmpdir(), 'hostwright-boot-'))),
  bootUrl: 'http://192.168.77.1:8080',
  serverUrl: 'https://192.168.77.1:8443',
  caPem: 'CA\n',
  agentScript: async () => '#!/bin/sh\n',
  log: { info: () => {}, warn: () => {} },
  ...over,
});

export const mac = (number: number): string =>
  `52:54:00:${[16, 8, 0].map((shift) => ((number >> shift) & 255).toString(16).padStart(2, '0')).join(':')}`;

/** What a machine asks of the boot endpoint, and the answer as text too. */
export const askBoot = async (
  deps: BootDeps,
  request: { url: string; method?: string; body?: string; headers?: Record<string, string> },
) => {
  const answer = await answerBootRequest(deps, {
    method: 'GET',
    headers: {},
    body: '',
    ...request,
  });
  const { body } = answer;
  const text = Buffer.isBuffer(body) ? body.toString('latin1') : body;
  return { ...answer, text: typeof text === 'string' ? text : '' };
};

/** Where the seed is that a boot script names. */
export const seedPath = (text: string): string =>
  /\/boot\/v1\/seed\/[^/]+\/seed\.cpio/.exec(text)?.[0] ?? 'no seed';

/** The boots of a node in the flight recorder, newest first. */
export const bootsOf = async (database: Database, nodeId: number) =>
  (await listBoots(database.db, { filter: { node: String(nodeId) } })).items;
