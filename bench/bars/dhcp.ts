/**
 * One node's change in effect, from the write to the acknowledgement, with 100 and with 10,000 nodes
 * that have addresses: dnsmasq and Kea, each a real daemon in a network namespace. The small and the
 * large one are up side by side and changed in turns, so what the machine does meanwhile meets both.
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

const SMALL = 100;
const LARGE = 10_000;
const SAMPLES = 15;

const hex = (value: number): string => value.toString(16).padStart(2, '0');
const named = (name: string) =>
  sql`(select id from node where deleted_at is null and name = ${name})`;

/** `net`: the first two numbers of the addresses. */
const CHANGES = {
  add: (i: number, net: string) => sql`
    with n as (insert into node (name, deployment_id, macs) select ${`new${i}`}, id, array[${`52:55:00:00:00:${hex(i)}`}] from deployment where system returning id)
    insert into allocation (range_id, node_id, address) select r.id, n.id, ${`${net}.200.${i}`}::inet from n, network_range r`,
  rename: (i: number) => sql`update node set name = ${`renamed${i}`} where id = ${named(`n${i}`)}`,
  bootenv: (i: number) =>
    sql`update node set bootenv = 'discovery' where id = ${named(`n${i + 20}`)}`,
  address: (i: number, net: string) =>
    sql`update allocation set address = ${`${net}.201.${i}`}::inet where node_id = ${named(`n${i + 40}`)}`,
  remove: (i: number) => sql`update node set deleted_at = now() where id = ${named(`n${i + 60}`)}`,
} as const;

type Kind = keyof typeof CHANGES;
const KINDS: readonly Kind[] = ['add', 'rename', 'bootenv', 'address', 'remove'];

const fill = async ({ db }: Database, count: number, net: string): Promise<void> => {
  await sql`insert into network (name, category, domain) values ('admin', 'admin', 'lab.test')`.execute(
    db,
  );
  await sql`insert into network_range (network_id, name, subnet, first, last)
    select id, 'host', ${`${net}.0.0/16`}, ${`${net}.1.0`}, ${`${net}.250.250`} from network`.execute(
    db,
  );
  await sql`insert into node (name, deployment_id, macs)
    select 'n' || i, d.id, array['52:54:00:' || lpad(to_hex(i / 65536 % 256), 2, '0') || ':' || lpad(to_hex(i / 256 % 256), 2, '0') || ':' || lpad(to_hex(i % 256), 2, '0')]
    from generate_series(1, ${count}::int) i, deployment d where d.system`.execute(db);
  await sql`insert into allocation (range_id, node_id, address)
    select r.id, n.id, ${`${net}.1.0`}::inet + substr(n.name, 2)::int from node n, network_range r`.execute(
    db,
  );
  await sql`analyze`.execute(db);
};

/** Where a daemon runs, and what is to be put away after it. */
interface Place {
  readonly database: Database;
  readonly cable: Cable;
  readonly folder: string;
  readonly net: string;
  readonly after: AsyncDisposableStack;
}

const openDnsmasq = async ({ cable, folder, net, after }: Place): Promise<BootServerDriver> => {
  await startDnsmasq(
    {
      folder,
      interfaces: [cable.serverLink],
      dnsPort: 5353,
      bootUrl: `http://${net}.0.1:8080`,
      domains: [{ domain: 'lab.test', subnet: `${net}.0.0/16` }],
      pools: [{ first: `${net}.240.1`, last: `${net}.250.250`, netmask: '255.255.0.0' }],
    },
    ['ip', 'netns', 'exec', cable.server],
  );
  after.defer(() => stopDnsmasq(folder));
  const resolver = new Resolver({ timeout: 2000, tries: 1 });
  resolver.setServers([`${net}.0.1:5353`]);
  const lookUp = (name: string) => resolver.resolve6(name);
  return dnsmasqDriver({ folder, dnsPort: 5353, lookUp, timeoutSeconds: 60 });
};

const openKea = async ({
  database,
  cable,
  folder,
  net,
  after,
}: Place): Promise<BootServerDriver> => {
  const { url } = await prepareKeaDatabase({ hostwrightUrl: database.url });
  after.defer(() => dropKeaDatabase(database.url));
  const pool = new pg.Pool({ connectionString: url });
  after.defer(() => pool.end());
  const door = await openPostgresDoor(url, folder);
  after.defer(() => door.close());
  const subnets = [
    {
      id: 1,
      subnet: `${net}.0.0/16`,
      pools: [{ first: `${net}.240.1`, last: `${net}.250.250` }],
    },
  ];
  await startKea(
    {
      folder,
      interfaces: [cable.serverLink],
      hostDatabase: { ...keaConnection(url), host: door.host },
      subnets,
      bootUrl: `http://${net}.0.1:8080`,
      nextServer: `${net}.0.1`,
    },
    ['ip', 'netns', 'exec', cable.server],
  );
  after.defer(() => stopKea(folder));
  return keaDriver({ pool, controlSocket: join(folder, 'control'), subnets });
};

/** Milliseconds from the change to its acknowledgement. */
type Change = (kind: Kind, i: number) => Promise<number>;

/** A fleet of that size whose one server knows all of it. */
const openSite = async (
  context: BenchContext,
  after: AsyncDisposableStack,
  options: { readonly count: number; readonly net: string; readonly open: typeof openKea },
): Promise<Change> => {
  const { count, net } = options;
  const database = await context.freshDatabase();
  after.defer(() => database.close());
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-bench-dhcp-'));
  after.defer(() => rmSync(folder, { recursive: true }));
  const cable = await layCable(`${net}.0.1/16`, { machineAddress: `${net}.0.2/16` });
  after.defer(() => cable.remove());
  await fill(database, count, net);
  const driver = await options.open({ database, cable, folder, net, after });
  const { db } = database;
  const serverId = await registerBootServer(db, { name: driver.kind, kind: driver.kind });
  await feedServer(db, { serverId, driver });
  await sql`vacuum analyze`.execute(db);
  return async (kind, i) => {
    const began = performance.now();
    await CHANGES[kind](i, net).execute(db);
    const { applied, refused } = await feedServer(db, { serverId, driver });
    if (applied !== 1 || refused.length > 0)
      throw new Error(`${kind}: ${applied} applied, ${JSON.stringify(refused)}`);
    return performance.now() - began;
  };
};

interface Taken {
  readonly kind: Kind;
  readonly small: number;
  readonly large: number;
}

const compare = async (context: BenchContext, open: typeof openKea): Promise<readonly Taken[]> => {
  await using after = new AsyncDisposableStack();
  const small = await openSite(context, after, { count: SMALL, net: '10.50', open });
  const large = await openSite(context, after, { count: LARGE, net: '10.51', open });
  const taken: Taken[] = [];
  for (const kind of KINDS)
    for (let i = 1; i <= SAMPLES; i++)
      taken.push({ kind, small: await small(kind, i), large: await large(kind, i) });
  return taken;
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
    for (const [name, open] of Object.entries({ dnsmasq: openDnsmasq, kea: openKea })) {
      const taken = await compare(context, open);
      const middle = (size: 'small' | 'large', of: readonly Taken[]) =>
        percentile(
          of.map((one) => one[size]),
          0.5,
        );
      for (const kind of KINDS) {
        const of = taken.filter((one) => one.kind === kind);
        figures[`${name}-${kind}-${SMALL}`] = middle('small', of);
        figures[`${name}-${kind}-${LARGE}`] = middle('large', of);
      }
      const [one, other] = [middle('small', taken), middle('large', taken)];
      const worst = Math.max(...taken.map(({ large }) => large));
      figures[`${name}-ratio`] = other / one;
      figures[`${name}-worst`] = worst;
      held &&= worst < 1000 && other / one <= 1.5;
      said.push(
        `${name} ${one.toFixed(1)} ms with 100, ${other.toFixed(1)} ms with 10,000 (${(other / one).toFixed(2)} x; worst ${worst.toFixed(0)} ms)`,
      );
    }
    return { held, summary: said.join('; '), figures };
  },
};
