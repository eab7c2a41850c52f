/** Kea's configuration: hosts from PostgreSQL, leases in memory and a file, a control channel. */
export interface KeaConfig {
  readonly folder: string;
  readonly interfaces: readonly string[];
  readonly hostDatabase: {
    readonly host: string;
    readonly port: number;
    readonly name: string;
    readonly user: string;
    readonly password: string;
  };
  readonly subnets: readonly {
    readonly id: number;
    readonly subnet: string;
    /** For strangers; known nodes may have any address of the subnet. */
    readonly pools: readonly { readonly first: string; readonly last: string }[];
    readonly router?: string;
    readonly domain?: string;
  }[];
  readonly dnsServers?: readonly string[];
  readonly bootUrl: string;
  readonly nextServer: string;
  readonly leaseSeconds?: number;
}

export const renderKeaConfig = (config: KeaConfig): string => {
  const { hostDatabase } = config;
  const log = [{ output: `${config.folder}/kea.log`, maxsize: 10_485_760, maxver: 2 }];
  const script = `${config.bootUrl}/boot/v1/ipxe?mac=\${netX/mac}&uuid=\${uuid}&platform=\${platform}`;
  return JSON.stringify(
    {
      Dhcp4: {
        'interfaces-config': { interfaces: config.interfaces, 'dhcp-socket-type': 'raw' },
        'control-socket': { 'socket-type': 'unix', 'socket-name': `${config.folder}/control` },
        'lease-database': {
          type: 'memfile',
          persist: true,
          name: `${config.folder}/leases.csv`,
          'lfc-interval': 3600,
        },
        'hosts-databases': [
          {
            type: 'postgresql',
            name: hostDatabase.name,
            host: hostDatabase.host,
            port: hostDatabase.port,
            user: hostDatabase.user,
            password: hostDatabase.password,
            'max-reconnect-tries': 1000,
            'reconnect-wait-time': 1000,
            'on-fail': 'serve-retry-continue',
          },
        ],
        'host-reservation-identifiers': ['hw-address'],
        // a machine with two cards has one address
        'ip-reservations-unique': false,
        'valid-lifetime': config.leaseSeconds ?? 43_200,
        'next-server': config.nextServer,
        'client-classes': [
          { name: 'ipxe', test: 'option[175].exists', 'boot-file-name': script },
          {
            name: 'efi64',
            test: 'not option[175].exists and (option[93].hex == 0x0007 or option[93].hex == 0x0009)',
            'boot-file-name': 'snponly.efi',
          },
          {
            name: 'bios',
            test: 'not option[175].exists and option[93].hex == 0x0000',
            'boot-file-name': 'undionly.kpxe',
          },
        ],
        subnet4: config.subnets.map(({ id, subnet, pools, router, domain }) => ({
          id,
          subnet,
          pools: pools.map(({ first, last }) => ({ pool: `${first} - ${last}` })),
          // addresses of nodes lie outside of the pools as a rule, and must be kept for them inside
          'reservations-in-subnet': true,
          'reservations-out-of-pool': false,
          'option-data': [
            ...(router === undefined ? [] : [{ name: 'routers', data: router }]),
            ...(domain === undefined || domain === ''
              ? []
              : [{ name: 'domain-name', data: domain }]),
            ...((config.dnsServers ?? []).length === 0
              ? []
              : [{ name: 'domain-name-servers', data: (config.dnsServers ?? []).join(', ') }]),
          ],
        })),
        loggers: [
          { name: 'kea-dhcp4', severity: 'WARN', output_options: log },
          // each lease that is offered or given, for the flight recorder
          { name: 'kea-dhcp4.leases', severity: 'INFO', output_options: log },
        ],
      },
    },
    null,
    2,
  );
};
