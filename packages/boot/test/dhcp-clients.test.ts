/** What clients see: a proxy beside another DHCP server, load, floods, and machines that lie. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  findDnsmasq,
  readAcks,
  readBootTimeline,
  registerBootServer,
  startDnsmasq,
  stopDnsmasq,
  type DnsmasqConfig,
} from '../src/index.ts';
import { followServers } from '../src/feed/follow-servers.ts';
import { openLogMemory, readLogLine } from '../src/feed/read-log.ts';
import { openDhcpSite, type DhcpSite } from './dhcp-site.ts';
import { addNode, bootsOf, mac } from './fixtures.ts';
import { askForLease, hasPrograms, perfdhcp } from './netns.ts';

const PROGRAMS = ['/usr/sbin/dnsmasq', '/usr/bin/dig', '/usr/bin/busybox', '/usr/sbin/perfdhcp'];

describe.skipIf(!hasPrograms(...PROGRAMS))('clients of dnsmasq', () => {
  let site: DhcpSite;
  let serverId: number;
  const feed = () => site.feedDnsmasq(serverId);
  const config = (over: Partial<DnsmasqConfig> = {}) => site.dnsmasq(over);
  const addKnown = async (name: string, number: number, hint: string) => {
    const nodeId = await addNode(site.database, {
      name,
      macs: [mac(number)],
      bootenv: 'discovery',
    });
    await site.give(nodeId, hint);
    await feed();
    return nodeId;
  };

  beforeAll(async () => {
    site = await openDhcpSite();
    await startDnsmasq(config(), site.within);
    serverId = await registerBootServer(site.database.db, {
      name: 'dnsmasq',
      kind: 'dnsmasq',
      folder: site.folder,
      host: hostname(),
    });
  });
  afterAll(async () => {
    await stopDnsmasq(site.folder);
    await site.close();
  });

  test('every boot has its DHCP answers and its loader in the flight recorder', async () => {
    const { cable } = site;
    const nodeId = await addKnown('flight', 21, '192.168.77.21');
    const follower = followServers(site.database);
    await site.lease(mac(21));
    await cable.inMachine('ip', 'addr', 'add', '192.168.77.21/24', 'dev', cable.machineLink);
    await cable.inMachine(
      'busybox',
      'tftp',
      '-g',
      '-r',
      'undionly.kpxe',
      '-l',
      '/dev/null',
      '192.168.77.1',
    );
    await cable.inMachine('ip', 'addr', 'flush', 'dev', cable.machineLink);
    const events = await eventually(async () => {
      await follower.read();
      const [attempt] = await bootsOf(site.database, nodeId);
      const found =
        attempt === undefined ? [] : await readBootTimeline(site.database.db, attempt.id);
      return found.some((event) => event.kind === 'tftp') && found;
    });
    expect(events.map((event) => event.text)).toEqual([
      'dnsmasq: DHCPOFFER 192.168.77.21 to firmware',
      'dnsmasq: DHCPACK 192.168.77.21 to firmware',
      'TFTP: sent undionly.kpxe',
    ]);
    expect(await bootsOf(site.database, nodeId)).toHaveLength(1);
  });

  test('what Kea logs of a boot is read, and renewals begin no boot', () => {
    const memory = openLogMemory();
    const line = (code: string) =>
      `2026-11-15 12:00:00.000 INFO  [kea-dhcp4.leases/12.34] ${code} [hwtype=1 52:54:00:00:00:01], cid=[01:52:54:00:00:00:01], tid=0x1: lease 192.168.77.42 will be advertised`;
    expect(readLogLine('kea', line('DHCP4_LEASE_ADVERT'), memory)).toMatchObject({
      mac: '52:54:00:00:00:01',
      text: 'Kea: DHCPOFFER 192.168.77.42',
      pxe: true,
    });
    expect(readLogLine('kea', line('DHCP4_LEASE_ALLOC'), memory)).toMatchObject({
      text: 'Kea: DHCPACK 192.168.77.42',
      pxe: false,
    });
    expect(
      readLogLine('kea', 'DHCP4_LEASE_ALLOC [hwtype=1 $(reboot)], lease 1.2.3.4', memory),
    ).toBeNull();
  });

  test('B16: the machine of a deleted node is a stranger again at once, and has a place when it comes back', async () => {
    const nodeId = await addKnown('leaver', 23, '192.168.77.23');
    await site.database.db
      .updateTable('node')
      .set({ deleted_at: new Date() })
      .where('id', '=', nodeId)
      .execute();
    await feed();
    const stranger = await site.lease(mac(23));
    expect(stranger['ip']).toMatch(/^192\.168\.77\.(1|2)\d\d$/);
    expect(stranger['boot_file']).toBe('undionly.kpxe');
    expect(await site.dig('leaver.lab.test')).toEqual([]);
    await addKnown('returner', 23, '192.168.77.24');
    expect(await site.lease(mac(23))).toMatchObject({ ip: '192.168.77.24' });
  });

  test('an address that was another node’s, and a card that was swapped, are in effect when acknowledged', async () => {
    const first = await addKnown('first', 25, '192.168.77.25');
    await site.database.db
      .updateTable('node')
      .set({ macs: [mac(26)] })
      .where('id', '=', first)
      .execute();
    await feed();
    expect(await site.lease(mac(26))).toMatchObject({ ip: '192.168.77.25' });
    expect((await site.lease(mac(25)))['ip']).not.toBe('192.168.77.25');
    await site.database.db.deleteFrom('allocation').where('node_id', '=', first).execute();
    await feed();
    await addKnown('second', 27, '192.168.77.25');
    expect(await site.dig('second.lab.test')).toEqual(['192.168.77.25']);
    const acks = await readAcks(site.database.db, first);
    expect(acks[0]?.error).toBeNull();
  });

  test('10,000 strangers get no further than the pool: known machines, files and recorder are not disturbed', async () => {
    const nodeId = await addKnown('steady', 22, '192.168.77.22');
    const attempts = async () =>
      (await site.database.pool.query('select from boot_attempt')).rowCount ?? 0;
    const before = await attempts();
    const report = await perfdhcp(site.cable, '-i -r 2000 -n 10000 -R 10000');
    expect(report).toMatch(/sent packets: \d{4,}/);
    const follower = followServers(site.database);
    await follower.read();
    expect(await attempts()).toBeLessThanOrEqual(before + 60);
    expect(await findDnsmasq(site.folder)).not.toBeNull();
    expect(
      readFileSync(join(site.folder, 'leases'), 'utf8').trim().split('\n').length,
    ).toBeLessThan(200);
    expect(await site.lease(mac(22))).toMatchObject({ ip: '192.168.77.22' });
    await site.database.db
      .updateTable('node')
      .set({ name: 'steadier' })
      .where('id', '=', nodeId)
      .execute();
    await feed();
    expect(await site.dig('steadier.lab.test')).toEqual(['192.168.77.22']);
  });

  test('perfdhcp gets leases of the pool, each its own', async () => {
    const report = await perfdhcp(site.cable, '-r 20 -n 60 -R 60 -b mac=52:54:00:aa:00:01');
    const acks = /REQUEST-ACK[\s\S]*?received packets: (\d+)/.exec(report);
    expect(Number(acks?.[1])).toBeGreaterThan(0);
    expect(report).toMatch(/non unique addresses: 0/);
  });

  test('no name, serial or MAC of a machine gets into a configuration file', async () => {
    const hostile = [
      'evil\naddress=/x/1.2.3.4',
      'a,set:x',
      '$(reboot)',
      '"; reboot',
      '#',
      '../../etc/passwd',
    ];
    for (const [index, name] of hostile.entries()) {
      const { rows } = await site.database.pool
        .query<{ id: number }>(
          `insert into node (name, deployment_id, macs, serial) select $1, id, array[$2], $3 from deployment where system returning id`,
          [`h${index}`, mac(300 + index), name.slice(0, 60)],
        )
        .catch(() => ({ rows: [] }));
      const nodeId = rows[0]?.id;
      if (nodeId === undefined) continue;
      // past every check but the last
      await site.database.pool
        .query('update node set name = $2, macs = macs || $3 where id = $1', [
          nodeId,
          name,
          [`${mac(400)}\n${name}`],
        ])
        .catch(() => {});
      await site.give(nodeId);
    }
    await feed();
    // a client that calls itself something is not believed either
    await askForLease(
      site.cable,
      site.clientScript,
      '-x',
      'hostname:evil.lab.test',
      '-F',
      'evil',
    ).catch(() => {});
    expect(await site.dig('evil.lab.test')).toEqual([]);
    expect(await site.dig('anything.x')).toEqual([]);
    for (const name of ['hosts.d', 'hosts.base', 'names'])
      for (const file of readdirSync(join(site.folder, name), {
        recursive: true,
        withFileTypes: true,
      }).filter((entry) => entry.isFile()))
        for (const line of readFileSync(join(file.parentPath, file.name), 'utf8').split('\n'))
          expect(line).toMatch(/^(# node \d+|[0-9a-f:,.[\]]+|[0-9a-f.:]+( [a-z0-9.-]+)+)?$/);
    expect(await site.lease(mac(22))).toMatchObject({ ip: '192.168.77.22' });
  });

  test('a configuration that dnsmasq refuses does not replace the one that runs', async () => {
    const pid = await findDnsmasq(site.folder);
    const wrong = startDnsmasq(config({ domain: 'lab.test\nno-such-option' }), site.within);
    await expect(wrong).rejects.toThrow(
      /dnsmasq refuses the configuration.*no-such-option|bad option/,
    );
    expect(await findDnsmasq(site.folder)).toBe(pid);
    expect(readFileSync(join(site.folder, 'dnsmasq.conf'), 'utf8')).not.toContain('no-such-option');
  });

  test('beside an existing DHCP server only boot information is offered', async () => {
    const { cable } = site;
    await stopDnsmasq(site.folder);
    const quiet =
      '--keep-in-foreground --port=0 --no-ping --dhcp-authoritative --bind-interfaces --conf-file=/dev/null --pid-file= --user=root --dhcp-leasefile=/dev/null';
    await cable.inServer('ip', 'link', 'add', 'br0', 'type', 'bridge');
    await cable.inServer('ip', 'addr', 'flush', 'dev', cable.serverLink);
    await cable.inServer('ip', 'link', 'set', cable.serverLink, 'master', 'br0');
    for (const [name, address] of [
      ['own', '192.168.77.1/24'],
      ['house', '192.168.77.2/24'],
    ] as const) {
      await cable.inServer('ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', `${name}-b`);
      await cable.inServer('ip', 'link', 'set', `${name}-b`, 'master', 'br0', 'up');
      await cable.inServer('ip', 'addr', 'add', address, 'dev', name);
      await cable.inServer('ip', 'link', 'set', name, 'up');
    }
    await cable.inServer('ip', 'link', 'set', 'br0', 'up');
    const words = [
      'netns',
      'exec',
      cable.server,
      'dnsmasq',
      ...quiet.split(' '),
      '--interface=house',
      '--dhcp-range=192.168.77.200,192.168.77.220,255.255.255.0',
    ];
    const house = spawn('ip', words, { stdio: 'ignore' });
    try {
      await startDnsmasq(
        config({ interfaces: ['own'], pools: [], proxies: ['192.168.77.0'] }),
        site.within,
      );
      const lease = await site.lease(mac(77), 'system');
      expect(lease['ip']).toMatch(/^192\.168\.77\.2[01]\d$/);
      // a loader joins both offers; busybox takes whichever comes first, and the one without an
      // address leads nowhere: only what was offered counts here
      await site.lease(mac(77)).catch(() => undefined);
      const log = await eventually(() => {
        const text = readFileSync(join(site.folder, 'dnsmasq.log'), 'utf8');
        return text.includes('PXE(own)') && text;
      });
      expect(log).toMatch(/PXE\(own\) (192\.168\.77\.\d+|proxy)? ?52:54:00:00:00:4d/);
      expect(log.slice(log.lastIndexOf('started'))).not.toContain('DHCPOFFER(own)');
    } finally {
      house.kill();
    }
  });
});
