/**
 * A site whose DHCP and DNS servers are roles: annealer, worker and keeper, a cable for each of two DHCP
 * servers, named where this process can reach it. The daemons are real.
 */
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  databaseRole,
  dhcpServerRole,
  dnsServerRole,
  keaServerRole,
  readAcks,
  startBootKeeper,
  stopNamed,
  type BootKeeper,
} from '@hostwright/boot';
import {
  ensureAdminNode,
  importBarclamp,
  registerJigs,
  SILENT,
  startWorker,
} from '@hostwright/engine';
import { createRoleProvidedJig, noopJig, type Transition } from '@hostwright/jigs';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { hasPrograms, layCable, leaseFor, type Cable } from '../../boot/test/netns.ts';
import { openPostgresDoor } from '../../boot/test/postgres-door.ts';
import { createWorld, type World } from './world.ts';

const folderOf = (name: string) =>
  fileURLToPath(new URL(`../../../barclamps/${name}`, import.meta.url));
const run = promisify(execFile);
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
const SCRIPT =
  '#!/bin/sh\n[ "$1" = bound ] && { echo "ip=$ip"; echo "boot_file=$boot_file$bootfile"; }; exit 0\n';

export const HAS_SERVERS = hasPrograms(
  '/usr/sbin/dnsmasq',
  '/usr/sbin/kea-dhcp4',
  '/usr/share/kea/scripts/pgsql/dhcpdb_create.pgsql',
  '/usr/sbin/named',
  '/usr/bin/dig',
  '/usr/bin/busybox',
);

/** Within a describe, once: made before its tests and taken down after them. */
export const useServerRoles = () => {
  let world: World;
  let one: Cable;
  let other: Cable;
  let door: Awaited<ReturnType<typeof openPostgresDoor>>;
  let worker: Awaited<ReturnType<typeof startWorker>>;
  let keeper: BootKeeper;
  let script: string;
  let admin: string;
  let dnsPort: number;
  const within = (cable: Cable) => ['ip', 'netns', 'exec', cable.server];
  const at = (path: string) => join(world.dataDir, path);

  const post = (url: string, body?: unknown) => world.ask('admin', { method: 'POST', url, body });
  const put = (url: string, body: unknown) => world.ask('admin', { method: 'PUT', url, body });
  const stateOf = async (role: string) => {
    const { json } = await world.ask('viewer', { url: `/noderoles?role=${role}` });
    const [found] = json.items as { state: string; reason: string | null }[];
    return found;
  };
  const becomes = (role: string, state: string) =>
    eventually(
      async () => {
        const found = await stateOf(role);
        if (found?.state !== state) throw new Error(JSON.stringify(found));
        return true;
      },
      { what: `${role} ${state}`, limitSeconds: 60 },
    );
  const dig = async (...question: string[]) => {
    const words = ['+short', '+time=1', '+tries=2', '@127.0.0.1', '-p', String(dnsPort)];
    const { stdout } = await run('dig', [...words, ...question]);
    return stdout.split('\n').filter((line) => line !== '');
  };
  const isCurrent = (node: string) =>
    eventually(
      async () => {
        const { json } = await world.ask('viewer', { url: `/nodes/${node}` });
        const acks = await readAcks(world.database.db, json.id as number);
        return acks.length > 0 && acks.every((ack) => ack.held >= ack.wanted && ack.wanted > 0);
      },
      { what: `${node} known to all servers` },
    );
  const addNode = async (name: string, mac: string, address: string) => {
    expect((await post('/nodes', { name, macs: [mac] })).status).toBeLessThan(300);
    const given = await post('/networks/admin/ranges/host/allocations', { node: name, address });
    expect(given.status, given.text).toBeLessThan(300);
  };

  /** Where dnsmasq shall listen. */
  const tellDhcp = (link: string) =>
    put('/deployments/system/roles/dhcp-server/data', {
      data: { dhcp: { interfaces: [link], dns_port: 5353, boot_url: 'http://192.168.77.1:8080' } },
    });
  /** The process that a server role started. */
  const pidOf = (daemon: 'dnsmasq/dnsmasq' | 'kea/kea') =>
    JSON.parse(readFileSync(at(`${daemon}.daemon`), 'utf8')).pid as number;
  const leaseAt = (cable: Cable, mac: string) => leaseFor(cable, mac, script);

  beforeAll(async () => {
    world = await createWorld();
    dnsPort = await freePort();
    const { database } = world;
    one = await layCable('192.168.77.1/24');
    other = await layCable('192.168.77.1/24');
    chmodSync(world.dataDir, 0o755);
    mkdirSync(at('kea'));
    door = await openPostgresDoor(database.url, at('kea'));
    script = at('client.sh');
    writeFileSync(script, SCRIPT);
    chmodSync(script, 0o755);
    const deps = { database, folder: world.dataDir, within: within(one), namedFolder: at('named') };
    const transitions: Record<string, Transition> = {
      'dhcp-server': dhcpServerRole(deps),
      'dhcp-server-kea': keaServerRole({ ...deps, within: within(other), keaHost: door.host }),
      'provisioner-dhcp-database': databaseRole(deps, ['dnsmasq', 'kea']),
      // updates come from this process: named is where they can reach it
      'dns-server': dnsServerRole({ ...deps, within: [] }),
      'dns-database': databaseRole(deps, ['bind']),
    };
    const jigs = [noopJig, createRoleProvidedJig({ find: async (_, role) => transitions[role] })];
    await registerJigs(database.db, jigs);
    await database.db.insertInto('jig').values({ name: 'script' }).execute();
    for (const name of ['core', 'network', 'dhcp', 'dns'])
      await importBarclamp(database.db, { folder: folderOf(name), actor: 'test' });
    admin = (await ensureAdminNode(database.db, { hostname: 'admin', actor: 'test' })).name;
    await database.db
      .updateTable('node')
      .set({ alive: true, available: true })
      .where('name', '=', admin)
      .execute();
    const made = await post('/networks', {
      name: 'admin',
      category: 'admin',
      domain: 'lab.test',
      ranges: [
        { name: 'host', subnet: '192.168.77.0/24', first: '192.168.77.10', last: '192.168.77.99' },
        {
          name: 'pool',
          kind: 'dhcp',
          subnet: '192.168.77.0/24',
          first: '192.168.77.100',
          last: '192.168.77.250',
        },
        { name: 'host6', subnet: 'fd77::/64', first: 'fd77::10', last: 'fd77::ffff' },
      ],
    });
    expect(made.status, made.text).toBeLessThan(300);
    worker = await startWorker({ database, jigs, log: SILENT, name: 'test' });
    keeper = startBootKeeper({ database, log: SILENT });
  });
  afterAll(async () => {
    await keeper.stop();
    await worker.stop();
    await stopNamed(at('named'));
    for (const cable of [one, other])
      for (const pid of execFileSync('ip', ['netns', 'pids', cable.server], {
        encoding: 'utf8',
      }).split('\n'))
        if (pid !== '') process.kill(Number(pid), 'SIGKILL');
    door.close();
    one.remove();
    other.remove();
    await world.stop();
  });

  return {
    get world() {
      return world;
    },
    get one() {
      return one;
    },
    get other() {
      return other;
    },
    get admin() {
      return admin;
    },
    get dnsPort() {
      return dnsPort;
    },
    addNode,
    at,
    becomes,
    dig,
    isCurrent,
    leaseAt,
    pidOf,
    post,
    put,
    stateOf,
    tellDhcp,
  };
};
