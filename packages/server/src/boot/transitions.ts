/**
 * How the roles of the barclamps dhcp, dns and provisioner are carried out: here, because only the
 * composition root knows both the boot services and the hammers.
 */
import { join } from 'node:path';
import {
  bindDriver,
  dnsmasqDriver,
  feedServer,
  importOsTemplates,
  osInstallTransition,
  readPools,
  registerBootServer,
  registerFolder,
  startDnsmasq,
  type BootServerDriver,
} from '@hostwright/boot';
import type { JsonObject, JsonValue } from '@hostwright/core';
import {
  offerTask,
  transaction,
  type Database,
  type Evidence,
  type MasterKey,
  type Outcome,
  type RunHandle,
} from '@hostwright/engine';
import { buildDiscoveryImage } from './discovery-image.ts';
import { openHammers, restartIntoNetwork, type Hammer } from '@hostwright/providers';

export type BootTransition = (handle: RunHandle, evidence?: Evidence) => Promise<Outcome>;

export interface TransitionOptions {
  readonly database: Database;
  readonly master: MasterKey;
  /** The data folder: `boot` holds what is served, `dnsmasq` and `dns` what feeds the daemons. */
  readonly folder: string;
}

const object = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
const texts = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const failed = (reason: string): Outcome => ({
  kind: 'failed',
  reason,
  retryable: true,
  blame: 'us',
});

const agentHammer = (database: Database, handle: RunHandle): Hammer => ({
  kind: 'agent',
  reboot: {
    reboot: async () => {
      await transaction(database.db, (tx) =>
        offerTask(tx, {
          runId: handle.runId,
          token: handle.token,
          nodeId: handle.node.id,
          lane: handle.lane,
          timeoutSeconds: 120,
          action: 'reboot',
        }),
      );
    },
  },
});

export const bootTransitions = ({
  database,
  master,
  folder,
}: TransitionOptions): Readonly<Record<string, BootTransition>> => {
  const { db } = database;
  const boot = join(folder, 'boot');
  const dnsmasq = join(folder, 'dnsmasq');

  const dhcpServer: BootTransition = async (handle) => {
    const dhcp = object(handle.attribs['dhcp']);
    const interfaces = texts(dhcp['interfaces']);
    if (interfaces.length === 0) {
      handle.log('no interface is named (dhcp/interfaces): dnsmasq is not started');
      return { kind: 'succeeded', wall: { dhcp: { running: false } } };
    }
    const started = await startDnsmasq({
      folder: dnsmasq,
      interfaces,
      dnsPort: typeof dhcp['dns_port'] === 'number' ? dhcp['dns_port'] : 53,
      bootUrl: text(dhcp['boot_url']),
      pools: await readPools(db),
      proxies: texts(dhcp['proxy']),
      secureBoot: dhcp['secure_boot'] === true,
    });
    if (started.missingLoaders.length > 0)
      handle.log(`loaders that are not installed here: ${started.missingLoaders.join(', ')}`);
    return { kind: 'succeeded', wall: { dhcp: { running: true } } };
  };

  const feed = async (
    handle: RunHandle,
    name: string,
    driver: BootServerDriver,
  ): Promise<Outcome> => {
    const serverId = await registerBootServer(db, {
      name: `${name} on ${handle.node.name}`,
      kind: driver.kind,
      nodeId: handle.node.id,
      noderoleId: handle.noderoleId,
      folder,
    });
    const report = await feedServer(db, { serverId, driver });
    handle.log(`${report.applied} nodes brought up to date`);
    for (const { nodeId, error } of report.refused) handle.log(`node ${nodeId}: ${error}`, 'err');
    return { kind: 'succeeded' };
  };

  const dhcpDatabase: BootTransition = async (handle) => {
    const dhcp = object(handle.attribs['dhcp']);
    if (texts(dhcp['interfaces']).length === 0) return { kind: 'succeeded' };
    return feed(
      handle,
      'dnsmasq',
      dnsmasqDriver({
        folder: dnsmasq,
        dnsPort: typeof dhcp['dns_port'] === 'number' ? dhcp['dns_port'] : 53,
      }),
    );
  };

  const dnsDatabase: BootTransition = async (handle) => {
    const dns = object(handle.attribs['dns']);
    if (text(dns['server']) === '') return { kind: 'succeeded' };
    const [algorithm, name, secret] = text(dns['key']).split(':');
    if (
      (algorithm !== 'hmac-sha256' && algorithm !== 'hmac-sha512') ||
      name === undefined ||
      secret === undefined
    )
      return failed('dns/key must be algorithm:name:secret');
    return feed(
      handle,
      'dns',
      bindDriver({
        folder: join(folder, 'dns'),
        server: text(dns['server']),
        port: typeof dns['port'] === 'number' ? dns['port'] : 53,
        zones: texts(dns['zones']),
        key: { algorithm, name, secret },
      }),
    );
  };

  const provisionerServer: BootTransition = async (handle) => {
    await buildDiscoveryImage(boot);
    const files = await registerFolder(db, { folder: boot, name: 'discovery' });
    const systems = await importOsTemplates(db);
    handle.log(`serving ${files.join(', ')}; ${systems.length} OS templates`);
    return { kind: 'succeeded', wall: { provisioner: { systems: [...systems] } } };
  };

  return {
    'dhcp-server': dhcpServer,
    'provisioner-dhcp-database': dhcpDatabase,
    'dns-server': async () => ({ kind: 'succeeded' }),
    'dns-database': dnsDatabase,
    'provisioner-server': provisionerServer,
    'provisioner-os-install': osInstallTransition({
      database,
      restart: async (handle) =>
        restartIntoNetwork([
          ...(await openHammers(db, { nodeId: handle.node.id, master })),
          agentHammer(database, handle),
        ]),
    }),
  };
};
