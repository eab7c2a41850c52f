/**
 * One node's change in effect, from the write to the acknowledgement, with 100 and with 10,000 nodes
 * that have addresses: dnsmasq and Kea, each a real daemon in a network namespace.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Resolver } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  dropKeaDatabase,
  feedServer,
  dnsmasqDriver,
  keaConnection,
  keaDriver,
  prepareKeaDatabase,
  registerBootServer,
  startDnsmasq,
  startKea,
  stopDnsmasq,
  stopKea,
  type BootServerDriver,
} from '@hostwright/boot';
import type { Database } from '@hostwright/engine';
import { sql } from 'kysely';
import pg from 'pg';
import { hasPrograms, layCable, type Cable } from '../../packages/boot/test/netns.ts';
import { openPostgresDoor } from '../../packages/boot/test/postgres-door.ts';
import type { Bar, BenchContext } from '../context.ts';
import { percentile } from '../fleet.ts';

const SIZES = [100, 10_000];
const SAMPLES = 15;
const SUBNET = '10.50.0.0/16';

const CHANGES = {
  add: (i: number) => sql`
    with n as (insert into node (name, deployment_id, macs) select ${`new${i}`}, id, array[${`52:55:00:00:00:${hex(i)}`}] from deployment where system returning id)
    insert into allocation (range_id, node_id, address) select r.id, n.id, ('10.50.200.' || ${i}::int)::inet from n, network_range r`,
  rename: (i: number) => sql`update node set name = ${`renamed${i}`} where name = ${`n${i}`}`,
  bootenv: (i: number) => sql`update node set bootenv = 'discovery' where name = ${`n${i + 20}`}`,
  address: (i: number) => sql`
    update allocation set address = ('10.50.201.' || ${i}::int)::inet where node_id = (select id from node where name = ${`n${i + 40}`})`,
  remove: (i: number) => sql`update node set deleted_at = now() where name = ${`n${i + 60}`}`,
} as const;

const hex = (value: number): string => value.toString(16).padStart(2, '0');

const fill = async ({ db }: Database, count: number): Promise<void> => {
  await sql`insert into network (name, category, domain) values ('admin', 'admin', 'lab.test')`.execute(
    db,
  );
  await sql`insert into network_range (network_id, name, subnet, first, last) select id, 'host', ${SUBNET}, '10.50.1.0', '10.50.250.250' from network`.execute(
    db,
  );
  await sql`insert into node (name, deployment_id, macs)
    select 'n' || i, d.id, array['52:54:00:' || lpad(to_hex(i / 65536 % 256), 2, '0') || ':' || lpad(to_hex(i / 256 % 256), 2, '0') || ':' || lpad(to_hex(i % 256), 2, '0')]
    from generate_series(1, ${count}::int) i, deployment d where d.system`.execute(db);
  await sql`insert into allocation (range_id, node_id, address)
    select r.id, n.id, '10.50.1.0'::inet + substr(n.name, 2)::int from node n, network_range r`.execute(
    db,
  );
  await sql`analyze`.execute(db);
};

/** Milliseconds from the change to its acknowledgement, per kind of change. */
const measure = async (
  database: Database,
  driver: BootServerDriver,
): Promise<Record<string, number[]>> => {
  const { db } = database;
  const serverId = await registerBootServer(db, { name: driver.kind, kind: driver.kind });
  await feedServer(db, { serverId, driver });
  await sql`analyze boot_ack`.execute(db);
  const taken: Record<string, number[]> = {};
  for (const [kind, change] of Object.entries(CHANGES)) {
    taken[kind] = [];
    for (let i = 1; i <= SAMPLES; i++) {
      const began = performance.now();
      await change(i).execute(db);
      const { applied, refused } = await feedServer(db, { serverId, driver });
      if (applied !== 1 || refused.length > 0)
        throw new Error(`${kind}: ${applied} applied, ${JSON.stringify(refused)}`);
      taken[kind].push(performance.now() - began);
    }
  }
  return taken;
};

const withDnsmasq = async (database: Database, cable: Cable, folder: string) => {
  await startDnsmasq(
    {
      folder,
      interfaces: [cable.serverLink],
      dnsPort: 5353,
      bootUrl: 'http://10.50.0.1:8080',
      domains: [{ domain: 'lab.test', subnet: SUBNET }],
      pools: [{ first: '10.50.240.1', last: '10.50.250.250', netmask: '255.255.0.0' }],
    },
    ['ip', 'netns', 'exec', cable.server],
  );
  const resolver = new Resolver({ timeout: 2000, tries: 1 });
  resolver.setServers(['10.50.0.1:5353']);
  const lookUp = (name: string) => resolver.resolve6(name);
  try {
    return await measure(
      database,
      dnsmasqDriver({ folder, dnsPort: 5353, lookUp, timeoutSeconds: 60 }),
    );
  } finally {
    await stopDnsmasq(folder);
  }
};

const withKea = async (database: Database, cable: Cable, folder: string) => {
  const { url } = await prepareKeaDatabase({ hostwrightUrl: database.url });
  const pool = new pg.Pool({ connectionString: url });
  const door = await openPostgresDoor(url, folder);
  const subnets = [
    { id: 1, subnet: SUBNET, pools: [{ first: '10.50.240.1', last: '10.50.250.250' }] },
  ];
  await startKea(
    {
      folder,
      interfaces: [cable.serverLink],
      hostDatabase: { ...keaConnection(url), host: door.host },
      subnets,
      bootUrl: 'http://10.50.0.1:8080',
      nextServer: '10.50.0.1',
    },
    ['ip', 'netns', 'exec', cable.server],
  );
  try {
    return await measure(
      database,
      keaDriver({ pool, controlSocket: join(folder, 'control'), subnets }),
    );
  } finally {
    await stopKea(folder);
    door.close();
    await pool.end();
    await dropKeaDatabase(database.url);
  }
};

const measureSize = async (context: BenchContext, count: number, server: typeof withKea) => {
  const database = await context.freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-bench-dhcp-'));
  const cable = await layCable('10.50.0.1/16', { machineAddress: '10.50.0.2/16' });
  try {
    await fill(database, count);
    return await server(database, cable, folder);
  } finally {
    cable.remove();
    rmSync(folder, { recursive: true });
    await database.close();
  }
};

export const bar: Bar = {
  id: 'dhcp',
  title: 'one node’s change in effect in dnsmasq and Kea: under 1 s, flat from 100 to 10,000 nodes',
  quick: false,
  run: async (context) => {
    if (!hasPrograms('/usr/sbin/dnsmasq', '/usr/sbin/kea-dhcp4', '/usr/bin/dig'))
      return { held: false, summary: 'needs root, dnsmasq and Kea', figures: {} };
    const figures: Record<string, number> = {};
    let held = true;
    const said: string[] = [];
    for (const [name, server] of Object.entries({ dnsmasq: withDnsmasq, kea: withKea })) {
      const [small, large] = [
        await measureSize(context, SIZES[0] ?? 0, server),
        await measureSize(context, SIZES[1] ?? 0, server),
      ];
      const all = (taken: Record<string, number[]>) => Object.values(taken).flat();
      for (const kind of Object.keys(CHANGES)) {
        figures[`${name}-${kind}-100`] = percentile(small[kind] ?? [], 0.5);
        figures[`${name}-${kind}-10000`] = percentile(large[kind] ?? [], 0.5);
      }
      const [one, other, worst] = [
        percentile(all(small), 0.5),
        percentile(all(large), 0.5),
        percentile(all(large), 1),
      ];
      figures[`${name}-ratio`] = other / one;
      figures[`${name}-worst`] = worst;
      held &&= worst < 1000 && other / one <= 1.5;
      said.push(
        `${name} ${one.toFixed(0)} ms with 100, ${other.toFixed(0)} ms with 10,000 (${(other / one).toFixed(2)} x; worst ${worst.toFixed(0)} ms)`,
      );
    }
    return { held, summary: said.join('; '), figures };
  },
};
