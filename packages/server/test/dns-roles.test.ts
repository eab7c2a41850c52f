/** DNS as roles, end to end: named is started, fed by updates, and asked. */
import { execFileSync } from 'node:child_process';
import { eventually } from '@hostwright/testkit';
import { describe, expect, test } from 'vitest';
import { HAS_SERVERS, useServerRoles } from './server-roles-world.ts';

describe.skipIf(!HAS_SERVERS)('a DNS server', () => {
  const site = useServerRoles();
  const { addNode, at, becomes, dig, isCurrent, post, put } = site;

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
    await addNode('web1', '52:54:00:00:00:01', '192.168.77.42');
    await addNode('web2', '52:54:00:00:00:02', '192.168.77.43');
    await put('/deployments/system/roles/dns-server/data', {
      data: { dns: { listen: ['127.0.0.1'], port: site.dnsPort } },
    });
    await becomes('dns-server', 'active');
    const six = await post('/networks/admin/ranges/host6/allocations', {
      node: 'web1',
      address: 'fd77::42',
    });
    expect(six.status, six.text).toBeLessThan(300);
    await site.world.database.db
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
    const gone = await site.world.ask('admin', { method: 'DELETE', url: '/nodes/web1' });
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
});
