/**
 * One network on a cable, for tests of DHCP servers: a database that knows the network, a place for
 * the server's daemon at one end, and at the other a machine that really asks for leases.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transaction } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { allocateAddress, dnsmasqDriver, feedServer, type DnsmasqConfig } from '../src/index.ts';
import type { BootServerDriver, FeedReport } from '../src/feed/feed-server.ts';
import { addNetwork, ADMIN_NETWORK } from './fixtures.ts';
import { digAt, DNS_PORT, layCable, leaseFor, type Cable } from './netns.ts';

/** What busybox's client calls with each answer; its words are what `lease` gives. */
const CLIENT =
  '#!/bin/sh\n[ "$1" = bound ] && { echo "ip=$ip"; echo "boot_file=$boot_file$bootfile"; echo "hostname=$hostname"; }; exit 0\n';

export interface DhcpSite {
  readonly database: TestDatabase;
  readonly cable: Cable;
  /** For the daemon's files. */
  readonly folder: string;
  readonly clientScript: string;
  /** What stands before a command that shall run at the server's end. */
  readonly within: readonly string[];
  give(nodeId: number, hint?: string): Promise<unknown>;
  lease(mac: string, client?: 'loader' | 'system'): Promise<Record<string, string>>;
  dig(...question: string[]): Promise<string[]>;
  /** A dnsmasq for the network, but for what is said otherwise. */
  dnsmasq(over?: Partial<DnsmasqConfig>): DnsmasqConfig;
  dnsmasqDriver(): BootServerDriver;
  feedDnsmasq(serverId: number): Promise<FeedReport>;
  close(): Promise<void>;
}

export const openDhcpSite = async (): Promise<DhcpSite> => {
  const database = await createTestDatabase();
  const cable = await layCable('192.168.77.1/24');
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-dhcp-'));
  const clientScript = join(folder, 'client.sh');
  writeFileSync(clientScript, CLIENT);
  chmodSync(clientScript, 0o755);
  const ranges = await addNetwork(database, ADMIN_NETWORK);
  const dig = digAt(cable);
  const driver = () =>
    dnsmasqDriver({ folder, dnsPort: DNS_PORT, lookUp: (name) => dig(name, 'AAAA') });
  return {
    database,
    cable,
    folder,
    clientScript,
    within: ['ip', 'netns', 'exec', cable.server],
    give: (nodeId, hint) =>
      transaction(database.db, (tx) =>
        allocateAddress(tx, {
          nodeId,
          rangeId: ranges['host'] ?? 0,
          ...(hint !== undefined && { hint }),
        }),
      ),
    lease: (mac, client) => leaseFor(cable, mac, clientScript, client),
    dig,
    dnsmasq: (over = {}) => ({
      folder,
      interfaces: [cable.serverLink],
      dnsPort: DNS_PORT,
      bootUrl: 'http://192.168.77.1:8080',
      domain: 'lab.test',
      pools: [{ first: '192.168.77.100', last: '192.168.77.250', netmask: '255.255.255.0' }],
      ...over,
    }),
    dnsmasqDriver: driver,
    feedDnsmasq: (serverId) => feedServer(database.db, { serverId, driver: driver() }),
    close: async () => {
      cable.remove();
      rmSync(folder, { recursive: true });
      await database.close();
    },
  };
};
