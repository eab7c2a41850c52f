/** DHCP and DNS as roles, end to end: annealer, real daemons in network namespaces, real clients. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  databaseRole,
  dhcpServerRole,
  dnsServerRole,
  keaServerRole,
  listBootServers,
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
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
const PRESENT = hasPrograms(
  '/usr/sbin/dnsmasq',
  '/usr/sbin/kea-dhcp4',
  '/usr/share/kea/scripts/pgsql/dhcpdb_create.pgsql',
  '/usr/sbin/named',
  '/usr/bin/dig',
  '/usr/bin/busybox',
);

describe.skipIf(!PRESENT)('server roles and database roles', () => {
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

  test('the roles stand on the admin node by default, and start nothing before they are told where', async () => {
    for (const role of ['dhcp-server', 'provisioner-dhcp-database', 'dns-server', 'dns-database'])
      await becomes(role, 'active');
    expect(await listBootServers(world.database.db)).toEqual([]);
  });

  test('a port that is taken is refused with the name of its holder, and a free one is used', async () => {
    const options =
      '--keep-in-foreground --port=0 --dhcp-range=192.168.77.200,192.168.77.201 --bind-interfaces --conf-file=/dev/null --pid-file= --user=root --dhcp-leasefile=/dev/null';
    const words = ['netns', 'exec', one.server, 'dnsmasq', ...options.split(' ')];
    const squatter = spawn('ip', [...words, `--interface=${one.serverLink}`], { stdio: 'ignore' });
    await eventually(async () => (await one.inServer('ss', '-Hlnu')).includes(':67'));
    await put('/deployments/system/roles/dhcp-server/data', {
      data: {
        dhcp: {
          interfaces: [one.serverLink],
          dns_port: 5353,
          boot_url: 'http://192.168.77.1:8080',
        },
      },
    });
    await becomes('dhcp-server', 'error');
    expect((await stateOf('dhcp-server'))?.reason).toMatch(
      /udp port 67 is taken by dnsmasq \(pid \d+\)/,
    );
    squatter.kill();
    await eventually(() => squatter.exitCode !== null || squatter.signalCode !== null);
    expect((await post('/noderoles/retry', { role: 'dhcp-server' })).status).toBeLessThan(300);
    await becomes('dhcp-server', 'active');
  });

  test('an interface that is not there is refused by name, and the server that runs goes on', async () => {
    const tell = (name: string) =>
      put('/deployments/system/roles/dhcp-server/data', {
        data: {
          dhcp: { interfaces: [name], dns_port: 5353, boot_url: 'http://192.168.77.1:8080' },
        },
      });
    const before = readFileSync(at('dnsmasq/dnsmasq.daemon'), 'utf8');
    await tell('nosuch9');
    await becomes('dhcp-server', 'error');
    expect((await stateOf('dhcp-server'))?.reason).toContain('no network interface nosuch9');
    expect(readFileSync(at('dnsmasq/dnsmasq.daemon'), 'utf8')).toBe(before);
    process.kill(JSON.parse(before).pid as number, 0);
    await tell(one.serverLink);
    expect((await post('/noderoles/retry', { role: 'dhcp-server' })).status).toBeLessThan(300);
    await becomes('dhcp-server', 'active');
  });

  test('a daemon that is killed is started again, by a run that says so', async () => {
    const pidOf = () =>
      JSON.parse(readFileSync(at('dnsmasq/dnsmasq.daemon'), 'utf8')).pid as number;
    const first = pidOf();
    process.kill(first, 'SIGKILL');
    await eventually(() => existsSync(at('dnsmasq/dnsmasq.daemon')) && pidOf() !== first, {
      what: 'another dnsmasq',
    });
    await becomes('dhcp-server', 'active');
    const { json } = await world.ask('viewer', { url: '/runs?role=dhcp-server' });
    const causes = (json.items as { cause: string }[]).map((run) => run.cause);
    expect(causes.some((cause) => cause.includes('dnsmasq on admin ended'))).toBe(true);
  });

  test('A6: two DHCP servers are both kept current; the death of one is said and holds up nobody', async () => {
    await post('/deployments', { name: 'site' });
    const { json } = await post('/deployments/site/snapshots');
    const bound = await post(`/snapshots/${json.id}/bind`, {
      bindings: [{ role: 'dhcp-server-kea', node: admin }],
    });
    expect(bound.status, bound.text).toBeLessThan(300);
    await put(`/snapshots/${json.id}/roles/dhcp-server-kea`, {
      data: { dhcp_kea: { interfaces: [other.serverLink], boot_url: 'http://192.168.77.1:8080' } },
    });
    const committed = await post(`/snapshots/${json.id}/commit`, {});
    expect(committed.status, committed.text).toBeLessThan(300);
    await becomes('dhcp-server-kea', 'active');
    await addNode('web1', '52:54:00:00:00:01', '192.168.77.42');
    await isCurrent('web1');
    await eventually(async () => (await listBootServers(world.database.db)).length === 2);
    for (const cable of [one, other])
      expect(await leaseFor(cable, '52:54:00:00:00:01', script)).toMatchObject({
        ip: '192.168.77.42',
      });

    // it hangs: it is there, and answers nothing
    const kea = JSON.parse(readFileSync(at('kea/kea.daemon'), 'utf8')).pid as number;
    process.kill(kea, 'SIGSTOP');
    await addNode('web2', '52:54:00:00:00:02', '192.168.77.43');
    await eventually(
      async () => {
        const servers = await listBootServers(world.database.db);
        return (
          servers.some((server) => server.kind === 'dnsmasq' && server.behind === 0) &&
          servers.some((server) => server.error !== null)
        );
      },
      { what: 'dnsmasq current beside a Kea that hangs', limitSeconds: 60 },
    );
    expect(await leaseFor(one, '52:54:00:00:00:02', script)).toMatchObject({ ip: '192.168.77.43' });
    const said = await eventually(async () => {
      const found = await stateOf('provisioner-dhcp-database');
      return found?.state === 'error' && found.reason;
    });
    expect(said).toMatch(/kea on admin: Kea does not answer.*1 of 2 servers are current/);
    process.kill(kea, 'SIGCONT');
    await post('/noderoles/retry', { role: 'provisioner-dhcp-database' });
    await isCurrent('web2');
    await becomes('provisioner-dhcp-database', 'active');
    expect(await leaseFor(other, '52:54:00:00:00:02', script)).toMatchObject({
      ip: '192.168.77.43',
    });
  });

  test('named answers A, AAAA, PTR and SSHFP of a node, and forgets a deleted one', async () => {
    const key = execFileSync(
      'sh',
      ['-c', `ssh-keygen -q -t ed25519 -N '' -f ${at('hostkey')} && cat ${at('hostkey.pub')}`],
      { encoding: 'utf8' },
    );
    const print =
      execFileSync('ssh-keygen', ['-r', 'x', '-f', at('hostkey.pub')], { encoding: 'utf8' })
        .split('\n')
        .find((line) => line.includes('SSHFP 4 2'))
        ?.split(' ')
        .at(-1) ?? '';
    await put('/deployments/system/roles/dns-server/data', {
      data: { dns: { listen: ['127.0.0.1'], port: dnsPort } },
    });
    await becomes('dns-server', 'active');
    const six = await post('/networks/admin/ranges/host6/allocations', {
      node: 'web1',
      address: 'fd77::42',
    });
    expect(six.status, six.text).toBeLessThan(300);
    await world.database.db
      .updateTable('node')
      .set({ discovery: JSON.stringify({ ssh_host_keys: [key.trim(), 'ssh-rsa $(reboot)', 7] }) })
      .where('name', '=', 'web1')
      .execute();
    await eventually(async () => (await dig('web1.lab.test', 'SSHFP')).length > 0, {
      what: 'SSHFP',
    });
    expect(await dig('web1.lab.test', 'A')).toEqual(['192.168.77.42']);
    expect(await dig('web1.lab.test', 'AAAA')).toEqual(['fd77::42']);
    expect(await dig('-x', '192.168.77.42')).toEqual(['web1.lab.test.']);
    expect(await dig('-x', 'fd77::42')).toEqual(['web1.lab.test.']);
    const [found = ''] = await dig('web1.lab.test', 'SSHFP');
    expect(found.toLowerCase().replaceAll(' ', '')).toBe(`42${print}`);
    await put('/name-filters/by-card', { priority: 200, template: 'd{{node.mac}}' });
    const byCard = 'd52-54-00-00-00-01.lab.test';
    await eventually(async () => (await dig(byCard, 'A')).length > 0, {
      what: 'the name of a filter',
    });
    await isCurrent('web1');
    const gone = await world.ask('admin', { method: 'DELETE', url: '/nodes/web1' });
    expect(gone.status, gone.text).toBeLessThan(300);
    await eventually(
      async () =>
        (await dig('web1.lab.test', 'ANY')).length === 0 &&
        (await dig('-x', '192.168.77.42')).length === 0,
      { what: 'no records' },
    );
    expect(await dig('web1.lab.test', 'SSHFP')).toEqual([]);
    expect(await dig(byCard, 'A')).toEqual([]);
    expect(await dig('web2.lab.test', 'A')).toEqual(['192.168.77.43']);
  });

  test('unbound, a server is stopped, forgotten and its database is gone', async () => {
    const { json } = await post('/deployments/site/snapshots');
    await post(`/snapshots/${json.id}/unbind`, {
      bindings: [{ role: 'dhcp-server-kea', node: admin }],
    });
    const committed = await post(`/snapshots/${json.id}/commit`, {});
    expect(committed.status, committed.text).toBeLessThan(300);
    await eventually(async () => (await stateOf('dhcp-server-kea')) === undefined, {
      limitSeconds: 60,
    });
    expect(execFileSync('ip', ['netns', 'pids', other.server], { encoding: 'utf8' })).toBe('');
    expect(
      (await listBootServers(world.database.db)).map((server) => server.kind).toSorted(),
    ).toEqual(['bind', 'dnsmasq']);
    const { rowCount } = await world.database.pool.query(
      'select from pg_database where datname = current_database() || $1',
      ['_kea'],
    );
    expect(rowCount).toBe(0);
    expect(existsSync(at('kea'))).toBe(false);
  });
});
