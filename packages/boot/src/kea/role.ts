/** The role `dhcp-server-kea`: Kea, for large sites, with its hosts in PostgreSQL. */
import { join } from 'node:path';
import { installPrograms } from '../daemon/programs.ts';
import { DNSMASQ_PROGRAMS } from '../dnsmasq/role.ts';
import { readDhcpSubnets } from '../feed/read-subnets.ts';
import { writeServerFile } from '../feed/server-file.ts';
import {
  number,
  object,
  serverRole,
  text,
  texts,
  type ServerDeps,
  type ServerTransition,
} from '../feed/server-role.ts';
import { dropKeaDatabase, keaConnection, prepareKeaDatabase } from './database.ts';
import { startKea, stopKea } from './start.ts';

const PROGRAMS = [
  ...DNSMASQ_PROGRAMS,
  {
    file: '/usr/sbin/kea-dhcp4',
    package: 'kea-dhcp4-server',
    unit: 'kea-dhcp4-server.service',
  },
  { file: '/usr/share/kea/scripts/pgsql/dhcpdb_create.pgsql', package: 'kea-admin' },
];

export interface KeaDeps extends ServerDeps {
  /** For labs: how Kea reaches PostgreSQL from its network namespace. */
  readonly keaHost?: string;
}

export const keaServerRole = (deps: KeaDeps): ServerTransition => {
  const folder = join(deps.folder, 'kea');
  const within = deps.within ?? [];
  const hostwrightUrl = deps.database.url;
  return serverRole(deps, {
    kind: 'kea',
    folder,
    up: async (handle) => {
      const kea = object(handle.attribs['dhcp_kea']);
      const interfaces = texts(kea['interfaces']);
      if (interfaces.length === 0) {
        handle.log('no interface is named (dhcp_kea/interfaces): Kea is not started');
        return null;
      }
      await installPrograms(PROGRAMS, (line) => handle.log(line));
      const given = text(kea['database_url']);
      const { url, incarnation } = await prepareKeaDatabase({
        hostwrightUrl,
        ...(given !== '' && { url: given }),
      });
      const subnets = await readDhcpSubnets(deps.database.db);
      const bootUrl = text(kea['boot_url']);
      const started = await startKea(
        {
          folder,
          interfaces,
          hostDatabase: {
            ...keaConnection(url),
            ...(deps.keaHost !== undefined && { host: deps.keaHost }),
          },
          subnets: subnets.map(({ router, ...subnet }) => ({
            ...subnet,
            ...(router !== null && { router }),
          })),
          bootUrl,
          nextServer: text(kea['tftp_server']) || new URL(bootUrl).hostname,
          dnsServers: texts(kea['dns_servers']),
          leaseSeconds: number(kea['lease_seconds'], 43_200),
        },
        within,
      );
      handle.log(`Kea runs (pid ${started.pid})`);
      if (started.missingLoaders.length > 0)
        handle.log(`loaders that are not installed here: ${started.missingLoaders.join(', ')}`);
      const served = subnets.map(({ id, subnet }) => ({ id, subnet }));
      await writeServerFile(folder, { kind: 'kea', databaseUrl: url, subnets: served });
      const shape = served.map(({ id, subnet }) => `${id} ${subnet}`).join(' ');
      return { incarnation: `${incarnation} ${shape}`, wall: { dhcp_kea: { running: true } } };
    },
    down: async () => {
      await stopKea(folder);
      await dropKeaDatabase(hostwrightUrl);
    },
  });
};
