/**
 * Many nodes at once, as when a domain is renamed. For each file that dnsmasq is told of it goes
 * through its leases, and through all names for each: told of thousands, it would answer nobody for
 * minutes. So it is told once.
 */
import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerBootServer, startDnsmasq, stopDnsmasq } from '../src/index.ts';
import { openDhcpSite, type DhcpSite } from './dhcp-site.ts';
import { addNode, mac } from './fixtures.ts';
import { hasPrograms } from './netns.ts';

/** Each with a file of names and one of its own for DHCP. */
const COUNT = 150;

describe.skipIf(!hasPrograms('/usr/sbin/dnsmasq', '/usr/bin/dig'))('many at once', () => {
  let site: DhcpSite;
  let serverId: number;
  beforeAll(async () => {
    site = await openDhcpSite();
    const pool = { first: '192.168.77.230', last: '192.168.77.250', netmask: '255.255.255.0' };
    await startDnsmasq(site.dnsmasq({ pools: [pool] }), site.within);
    serverId = await registerBootServer(site.database.db, { name: 'many', kind: 'dnsmasq' });
  });
  afterAll(async () => {
    await stopDnsmasq(site.folder);
    await site.close();
  });

  const feed = () => site.feedDnsmasq(serverId);
  /** Files of names that dnsmasq was told of by themselves. */
  const toldOf = () =>
    readFileSync(join(site.folder, 'dnsmasq.log'), 'utf8').match(/inotify: \S+\/nodes-/g)?.length ??
    0;
  const evidence = async (name: string) =>
    (
      await site.database.db
        .selectFrom('boot_ack')
        .innerJoin('node', 'node.id', 'boot_ack.node_id')
        .select('boot_ack.evidence')
        .where('node.name', '=', name)
        .executeTakeFirst()
    )?.evidence;

  test('new, renamed and removed names of many are in effect, and it was told once', async () => {
    for (let i = 1; i <= COUNT; i++) {
      const nodeId = await addNode(site.database, { name: `n${i}`, macs: [mac(i)] });
      await site.give(nodeId);
    }
    expect(await feed()).toMatchObject({ applied: COUNT, refused: [] });
    const [address] = await site.dig('n17.lab.test');
    expect(address).toMatch(/^192\.168\.77\./);
    // twice: into files that are not there yet, and into files that are
    const rename = (name: string, card: string) =>
      sql`update node set name = ${sql.raw(name)}, macs = array[overlay(macs[1] placing ${card} from 1 for 2)]`.execute(
        site.database.db,
      );
    await rename(`'a-much-longer-' || name`, '56');
    await feed();
    expect(await site.dig('n17.lab.test')).toEqual([]);
    expect(await site.dig('a-much-longer-n17.lab.test')).toEqual([address]);
    await rename('substr(name, 15)', '52');
    await feed();
    expect(await site.dig('n17.lab.test')).toEqual([address]);
    expect(await site.dig('a-much-longer-n17.lab.test')).toEqual([]);
    await sql`update node set deleted_at = now() where name <> 'n17'`.execute(site.database.db);
    await feed();
    expect(await site.dig('n18.lab.test')).toEqual([]);
    expect(await site.dig('n17.lab.test')).toEqual([address]);
    expect(toldOf()).toBe(0);
  });

  test('one change after that is told by itself', async () => {
    const [address] = await site.dig('n17.lab.test');
    await sql`update node set name = 'single' where name = 'n17'`.execute(site.database.db);
    await feed();
    expect(await site.dig('single.lab.test')).toEqual([address]);
    expect(await evidence('single')).toContain('after reading the changed files');
    expect(toldOf()).toBe(1);
  });

  test('with many leases a change is read with all others: that goes through them once', async () => {
    // only its size is looked at
    truncateSync(join(site.folder, 'leases'), 3000 * 60);
    await sql`update node set name = 'leased' where name = 'single'`.execute(site.database.db);
    await feed();
    expect(await site.dig('leased.lab.test')).toHaveLength(1);
    expect(await evidence('leased')).toContain('after SIGHUP');
    expect(toldOf()).toBe(1);
  });
});
