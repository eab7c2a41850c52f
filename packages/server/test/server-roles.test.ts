/** A server as a role, end to end: what it refuses before it touches the one that runs, and what it starts again. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { listBootServers } from '@hostwright/boot';
import { eventually } from '@hostwright/testkit';
import { describe, expect, test } from 'vitest';
import { HAS_SERVERS, useServerRoles } from './server-roles-world.ts';

describe.skipIf(!HAS_SERVERS)('a server role', () => {
  const site = useServerRoles();
  const { at, becomes, pidOf, post, stateOf, tellDhcp } = site;

  test('the roles stand on the admin node by default, and start nothing before they are told where', async () => {
    for (const role of ['dhcp-server', 'provisioner-dhcp-database', 'dns-server', 'dns-database'])
      await becomes(role, 'active');
    expect(await listBootServers(site.world.database.db)).toEqual([]);
  });

  test('a port that is taken is refused with the name of its holder, and a free one is used', async () => {
    const options =
      '--keep-in-foreground --port=0 --dhcp-range=192.168.77.200,192.168.77.201 --bind-interfaces --conf-file=/dev/null --pid-file= --user=root --dhcp-leasefile=/dev/null';
    const words = ['netns', 'exec', site.one.server, 'dnsmasq', ...options.split(' ')];
    const squatter = spawn('ip', [...words, `--interface=${site.one.serverLink}`], {
      stdio: 'ignore',
    });
    await eventually(async () => (await site.one.inServer('ss', '-Hlnu')).includes(':67'));
    await tellDhcp(site.one.serverLink);
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
    const before = readFileSync(at('dnsmasq/dnsmasq.daemon'), 'utf8');
    await tellDhcp('nosuch9');
    await becomes('dhcp-server', 'error');
    expect((await stateOf('dhcp-server'))?.reason).toContain('no network interface nosuch9');
    expect(readFileSync(at('dnsmasq/dnsmasq.daemon'), 'utf8')).toBe(before);
    process.kill(pidOf('dnsmasq/dnsmasq'), 0);
    await tellDhcp(site.one.serverLink);
    expect((await post('/noderoles/retry', { role: 'dhcp-server' })).status).toBeLessThan(300);
    await becomes('dhcp-server', 'active');
  });

  test('a daemon that is killed is started again, by a run that says so', async () => {
    const first = pidOf('dnsmasq/dnsmasq');
    process.kill(first, 'SIGKILL');
    await eventually(
      () => existsSync(at('dnsmasq/dnsmasq.daemon')) && pidOf('dnsmasq/dnsmasq') !== first,
      { what: 'another dnsmasq' },
    );
    await becomes('dhcp-server', 'active');
    const { json } = await site.world.ask('viewer', { url: '/runs?role=dhcp-server' });
    const causes = (json.items as { cause: string }[]).map((run) => run.cause);
    expect(causes.some((cause) => cause.includes('dnsmasq on admin ended'))).toBe(true);
  });

  test('a daemon that an older version started with other folders is started anew, and fed all there is', async () => {
    await site.addNode('old1', '52:54:00:00:00:0a', '192.168.77.51');
    await site.isCurrent('old1');
    const { layout: _, ...file } = JSON.parse(readFileSync(at('dnsmasq/server.json'), 'utf8'));
    const conf = readFileSync(at('dnsmasq/dnsmasq.conf'), 'utf8');
    rmSync(at('dnsmasq/names'), { recursive: true });
    mkdirSync(at('dnsmasq/names'));
    writeFileSync(at('dnsmasq/dnsmasq.conf'), conf.replaceAll(/(?<=\/names)\/\w+$/gm, ''));
    await site.world.database.db.updateTable('boot_server').set({ incarnation: 'older' }).execute();
    writeFileSync(at('dnsmasq/server.json'), JSON.stringify(file));
    await eventually(() => readFileSync(at('dnsmasq/dnsmasq.conf'), 'utf8') === conf, {
      what: 'the configuration of this version',
    });
    await becomes('dhcp-server', 'active');
    await site.isCurrent('old1');
    const words = '+short +time=1 +tries=2 @127.0.0.1 -p 5353 old1.lab.test'.split(' ');
    await eventually(
      async () => (await site.one.inServer('dig', ...words)).trim() === '192.168.77.51',
    );
    const { json } = await site.world.ask('viewer', { url: '/runs?role=dhcp-server' });
    const causes = (json.items as { cause: string }[]).map((run) => run.cause);
    expect(causes).toContain('dnsmasq on admin was started by another version of Hostwright');
  });
});
