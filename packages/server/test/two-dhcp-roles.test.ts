/** Two DHCP servers as roles, dnsmasq and Kea, on cables of their own: both kept current, and one taken away. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { listBootServers } from '@hostwright/boot';
import { eventually } from '@hostwright/testkit';
import { describe, expect, test } from 'vitest';
import { HAS_SERVERS, useServerRoles } from './server-roles-world.ts';

describe.skipIf(!HAS_SERVERS)('two DHCP servers', () => {
  const site = useServerRoles();
  const { addNode, at, becomes, isCurrent, leaseAt, pidOf, post, put, stateOf, tellDhcp } = site;

  test('A6: two DHCP servers are both kept current; the death of one is said and holds up nobody', async () => {
    await tellDhcp(site.one.serverLink);
    await eventually(async () => (await listBootServers(site.world.database.db)).length === 1);
    await post('/deployments', { name: 'site' });
    const { json } = await post('/deployments/site/snapshots');
    const bound = await post(`/snapshots/${json.id}/bind`, {
      bindings: [{ role: 'dhcp-server-kea', node: site.admin }],
    });
    expect(bound.status, bound.text).toBeLessThan(300);
    await put(`/snapshots/${json.id}/roles/dhcp-server-kea`, {
      data: {
        dhcp_kea: { interfaces: [site.other.serverLink], boot_url: 'http://192.168.77.1:8080' },
      },
    });
    const committed = await post(`/snapshots/${json.id}/commit`, {});
    expect(committed.status, committed.text).toBeLessThan(300);
    await becomes('dhcp-server-kea', 'active');
    await addNode('web1', '52:54:00:00:00:01', '192.168.77.42');
    await isCurrent('web1');
    await eventually(async () => (await listBootServers(site.world.database.db)).length === 2);
    for (const cable of [site.one, site.other])
      expect(await leaseAt(cable, '52:54:00:00:00:01')).toMatchObject({
        ip: '192.168.77.42',
      });

    // it hangs: it is there, and answers nothing
    const kea = pidOf('kea/kea');
    process.kill(kea, 'SIGSTOP');
    await addNode('web2', '52:54:00:00:00:02', '192.168.77.43');
    await eventually(
      async () => {
        const servers = await listBootServers(site.world.database.db);
        return (
          servers.some((server) => server.kind === 'dnsmasq' && server.behind === 0) &&
          servers.some((server) => server.error !== null)
        );
      },
      { what: 'dnsmasq current beside a Kea that hangs', limitSeconds: 60 },
    );
    expect(await leaseAt(site.one, '52:54:00:00:00:02')).toMatchObject({ ip: '192.168.77.43' });
    const said = await eventually(async () => {
      const found = await stateOf('provisioner-dhcp-database');
      return found?.state === 'error' && found.reason;
    });
    expect(said).toMatch(/kea on admin: Kea does not answer.*1 of 2 servers are current/);
    process.kill(kea, 'SIGCONT');
    await post('/noderoles/retry', { role: 'provisioner-dhcp-database' });
    await isCurrent('web2');
    await becomes('provisioner-dhcp-database', 'active');
    expect(await leaseAt(site.other, '52:54:00:00:00:02')).toMatchObject({
      ip: '192.168.77.43',
    });
  });

  test('unbound, a server is stopped, forgotten and its database is gone', async () => {
    const { json } = await post('/deployments/site/snapshots');
    await post(`/snapshots/${json.id}/unbind`, {
      bindings: [{ role: 'dhcp-server-kea', node: site.admin }],
    });
    const committed = await post(`/snapshots/${json.id}/commit`, {});
    expect(committed.status, committed.text).toBeLessThan(300);
    await eventually(
      async () => {
        const found = await stateOf('dhcp-server-kea');
        if (found !== undefined) throw new Error(JSON.stringify(found));
        return true;
      },
      { what: 'its teardown', limitSeconds: 40 },
    );
    expect(execFileSync('ip', ['netns', 'pids', site.other.server], { encoding: 'utf8' })).toBe('');
    const left = await listBootServers(site.world.database.db);
    expect(left.map((server) => server.kind)).toEqual(['dnsmasq']);
    const { rowCount } = await site.world.database.pool.query(
      'select from pg_database where datname = current_database() || $1',
      ['_kea'],
    );
    expect(rowCount).toBe(0);
    expect(existsSync(at('kea'))).toBe(false);
  });
});
