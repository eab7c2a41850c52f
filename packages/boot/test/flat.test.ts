import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  dnsmasqDriver,
  feedServer,
  registerBootServer,
  startDnsmasq,
  stopDnsmasq,
} from '../src/index.ts';
import { digAt, DNS_PORT, hasPrograms, layCable } from './netns.ts';

test.skipIf(!hasPrograms('/usr/sbin/dnsmasq', '/usr/bin/dig'))(
  'one change among thousands of nodes writes one node, not all of them',
  async () => {
    await using database = await createTestDatabase();
    const cable = await layCable('10.50.0.1/16');
    const folder = mkdtempSync(join(tmpdir(), 'hostwright-flat-'));
    try {
      await startDnsmasq(
        {
          folder,
          interfaces: [cable.serverLink],
          dnsPort: DNS_PORT,
          bootUrl: 'http://10.50.0.1:8080',
          pools: [{ first: '10.50.1.0', last: '10.50.250.250', netmask: '255.255.0.0' }],
        },
        ['ip', 'netns', 'exec', cable.server],
      );
      const serverId = await registerBootServer(database.db, { name: 'flat', kind: 'dnsmasq' });
      const dig = digAt(cable);
      const lookUp = (name: string) => dig(name, 'AAAA');
      const driver = dnsmasqDriver({ folder, dnsPort: DNS_PORT, lookUp, timeoutSeconds: 50 });
      const count = Number(process.env['HOSTWRIGHT_NODES'] ?? 1000);
      await sql`insert into node (name, deployment_id, macs)
      select 'n' || i, d.id, array['52:54:' || lpad(to_hex(i / 16777216), 2, '0') || ':' || lpad(to_hex(i / 65536 % 256), 2, '0') || ':' || lpad(to_hex(i / 256 % 256), 2, '0') || ':' || lpad(to_hex(i % 256), 2, '0')]
      from generate_series(1, ${count}::int) i, deployment d where d.system`.execute(database.db);
      const began = performance.now();
      expect((await feedServer(database.db, { serverId, driver })).applied).toBe(count);
      const filled = performance.now();
      // many at once are read at SIGHUP, from few files
      expect(readdirSync(join(folder, 'hosts.base')).length).toBeLessThanOrEqual(256);
      await database.db
        .updateTable('node')
        .set({ macs: sql<string[]>`macs || '52:54:aa:00:00:07'::text` })
        .where('name', '=', 'n7')
        .execute();
      const changing = performance.now();
      expect((await feedServer(database.db, { serverId, driver })).applied).toBe(1);
      const changed = performance.now();
      expect(readdirSync(join(folder, 'hosts.d'))).toHaveLength(1);
      process.stderr.write(
        `${count} nodes fed in ${(filled - began).toFixed(0)} ms, one change in effect after ${(changed - changing).toFixed(0)} ms\n`,
      );
    } finally {
      await stopDnsmasq(folder);
      cable.remove();
      rmSync(folder, { recursive: true });
    }
  },
);
