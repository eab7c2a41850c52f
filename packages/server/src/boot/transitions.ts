/**
 * How the roles of the barclamps dhcp, dns and provisioner are carried out: here, because only the
 * composition root knows both the boot services and the hammers.
 */
import { join } from 'node:path';
import {
  databaseRole,
  dhcpServerRole,
  dnsServerRole,
  importOsTemplates,
  keaServerRole,
  networkAddressesTransition,
  osInstallTransition,
  placeMemtest,
  registerFolder,
  signingKey,
  type ServerDeps,
} from '@hostwright/boot';
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
  /** The data folder: `boot` holds what is served, `dnsmasq` and `kea` what feeds the daemons. */
  readonly folder: string;
}

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
  const servers: ServerDeps = { database, folder };

  const provisionerServer: BootTransition = async (handle) => {
    const key = signingKey(master);
    await buildDiscoveryImage(boot, key);
    const files = [...(await registerFolder(db, { folder: boot, name: 'discovery', key }))];
    if (await placeMemtest(boot))
      files.push(...(await registerFolder(db, { folder: boot, name: 'memtest' })));
    else
      handle.log('memtest86+ is not installed here: the boot environment memtest cannot be booted');
    const systems = await importOsTemplates(db);
    handle.log(`serving ${files.join(', ')}; ${systems.length} OS templates`);
    return { kind: 'succeeded', wall: { provisioner: { systems: [...systems] } } };
  };

  const install = osInstallTransition({
    database,
    restart: async (handle) =>
      restartIntoNetwork([
        ...(await openHammers(db, { nodeId: handle.node.id, master })),
        agentHammer(database, handle),
      ]),
  });

  return {
    'network-addresses': networkAddressesTransition(database),
    'dhcp-server': dhcpServerRole(servers),
    'dhcp-server-kea': keaServerRole(servers),
    'provisioner-dhcp-database': databaseRole(servers, ['dnsmasq', 'kea']),
    'dns-server': dnsServerRole(servers),
    'dns-database': databaseRole(servers, ['bind']),
    'provisioner-server': provisionerServer,
    'provisioner-os-install': install,
    'provisioner-erase': install,
  };
};
