/**
 * What dnsmasq reads: one configuration, and per node a line for DHCP and its names for DNS. The DHCP
 * line has no name: dnsmasq takes it from DNS, and so a new name changes no DHCP line. What clients
 * call themselves is never believed.
 * Every machine is offered a loader, and the boot endpoint says what to boot. A per-node tag would
 * spare local nodes the loader, but dnsmasq 2.90 dies at the next SIGHUP after a lease for a
 * `dhcp-host` with `set:` in a hosts file: a tag's list entry is chained to those of the request,
 * and the reload frees the chain. With Hostwright down the loader finds nobody and gives the turn
 * to the next boot device.
 */
import type { NodeData } from '../feed/node-data.ts';
import { isAddress, isDnsName, readMac } from '../valid.ts';
import { nameFolders } from './shard.ts';

export interface DnsmasqConfig {
  readonly folder: string;
  readonly interfaces: readonly string[];
  /** DNS; also what probes ask, on 127.0.0.1. */
  readonly dnsPort: number;
  readonly bootUrl: string;
  readonly domain?: string;
  /** Domains of single networks. */
  readonly domains?: readonly { readonly domain: string; readonly subnet: string }[];
  readonly pools: readonly {
    readonly first: string;
    readonly last: string;
    readonly netmask: string;
  }[];
  /** Subnets without a pool: known nodes only. */
  readonly statics?: readonly { readonly base: string; readonly netmask: string }[];
  /** Beside an existing DHCP server: only boot information is offered on these subnets. */
  readonly proxies?: readonly string[];
  readonly router?: string;
  readonly dnsServers?: readonly string[];
  readonly leaseSeconds?: number;
  /** Loaders come by Hostwright's own TFTP, which signed GRUB needs for everything; dnsmasq's is off. */
  readonly secureBoot?: boolean;
  readonly routerAdvertisements?: readonly string[];
  readonly verbose?: boolean;
}

const ipxeUrl = (bootUrl: string): string =>
  `${bootUrl}/boot/v1/ipxe?mac=\${netX/mac}&uuid=\${uuid}&platform=\${platform}`;

const bootLines = (config: DnsmasqConfig): string[] => {
  const secure = config.secureBoot === true;
  const efi = secure ? 'shimx64.efi' : 'snponly.efi';
  const from = secure ? new URL(config.bootUrl).hostname : '';
  const lines = [
    'dhcp-match=set:ipxe,175',
    'dhcp-match=set:efi64,option:client-arch,7',
    'dhcp-match=set:efi64,option:client-arch,9',
    'dhcp-match=set:bios,option:client-arch,0',
    `dhcp-boot=tag:ipxe,${ipxeUrl(config.bootUrl)}`,
    `dhcp-boot=tag:!ipxe,tag:efi64,${efi}${secure ? `,,${from}` : ''}`,
    `dhcp-boot=tag:!ipxe,tag:bios,undionly.kpxe${secure ? `,,${from}` : ''}`,
    // no-pxedhcp: iPXE does not wait for a proxy that is not there
    'dhcp-option=encap:175,176,1b',
  ];
  if ((config.proxies ?? []).length === 0) return lines;
  return [
    ...lines,
    `pxe-service=tag:!ipxe,x86PC,"Hostwright",undionly.kpxe${secure ? `,${from}` : ''}`,
    `pxe-service=tag:!ipxe,X86-64_EFI,"Hostwright",${efi}${secure ? `,${from}` : ''}`,
    `pxe-service=tag:ipxe,x86PC,"Hostwright",${ipxeUrl(config.bootUrl)}`,
    `pxe-service=tag:ipxe,X86-64_EFI,"Hostwright",${ipxeUrl(config.bootUrl)}`,
  ];
};

export const renderDnsmasqConfig = (config: DnsmasqConfig): string => {
  const lease = config.leaseSeconds ?? 43_200;
  return [
    '# written by Hostwright; changes are overwritten',
    `port=${config.dnsPort}`,
    ...config.interfaces.map((name) => `interface=${name}`),
    'interface=lo',
    'no-dhcp-interface=lo',
    'bind-interfaces',
    'no-resolv',
    // not for answers of others, of which there are none: it makes the table of names large enough that
    // looking all of them up, which each change of a host does, takes 1 ms instead of 20 at 10,000
    'cache-size=200000',
    'no-hosts',
    'dhcp-authoritative',
    'no-ping',
    `user=${process.getuid?.() === 0 ? 'root' : ''}`,
    'pid-file=',
    `dhcp-leasefile=${config.folder}/leases`,
    // 1000 by default; a flood of strangers must not use up what known machines need
    'dhcp-lease-max=60000',
    'dhcp-ignore-names',
    // read when they change, and at SIGHUP
    `dhcp-hostsdir=${config.folder}/hosts.d`,
    ...nameFolders(`${config.folder}/names`).map((path) => `hostsdir=${path}`),
    // read at SIGHUP only, so that one answer shows that all of them have been read
    `dhcp-hostsfile=${config.folder}/hosts.base`,
    `addn-hosts=${config.folder}/version`,
    `log-facility=${config.folder}/dnsmasq.log`,
    // the flight recorder reads there which requests came from firmware
    ...(config.verbose === false ? [] : ['log-dhcp']),
    ...(config.secureBoot === true
      ? []
      : ['enable-tftp', `tftp-root=${config.folder}/tftp`, 'tftp-no-fail']),
    ...(config.domain === undefined ? [] : [`domain=${config.domain}`, `local=/${config.domain}/`]),
    ...(config.domains ?? []).flatMap(({ domain, subnet }) => [
      `domain=${domain},${subnet}`,
      `local=/${domain}/`,
    ]),
    ...config.pools.map(
      ({ first, last, netmask }) => `dhcp-range=${first},${last},${netmask},${lease}`,
    ),
    ...(config.statics ?? []).map(
      ({ base, netmask }) => `dhcp-range=${base},static,${netmask},${lease}`,
    ),
    ...(config.proxies ?? []).map((subnet) => `dhcp-range=${subnet},proxy`),
    ...(config.router === undefined
      ? ['dhcp-option=3']
      : [`dhcp-option=option:router,${config.router}`]),
    ...((config.dnsServers ?? []).length === 0
      ? []
      : [`dhcp-option=option:dns-server,${(config.dnsServers ?? []).join(',')}`]),
    ...((config.routerAdvertisements ?? []).length === 0
      ? []
      : [
          'enable-ra',
          ...(config.routerAdvertisements ?? []).map((prefix) => `dhcp-range=${prefix},ra-only,64`),
        ]),
    ...bootLines(config),
    '',
  ].join('\n');
};

export const renderDhcpHost = (node: NodeData, leaseSeconds = 43_200): string => {
  if (node.removed || node.macs.length === 0) return '';
  const addresses = node.addresses.filter(
    (one) => one.category !== 'bmc' && isAddress(one.address),
  );
  const v4 = addresses.find((one) => !one.address.includes(':'));
  const v6 = addresses.find((one) => one.address.includes(':'));
  const parts = [
    ...node.macs,
    ...(v4 === undefined ? [] : [v4.address]),
    ...(v6 === undefined ? [] : [`[${v6.address}]`]),
    String(leaseSeconds),
  ];
  return `${parts.join(',')}\n`;
};

export const macsOfHost = (line: string): readonly string[] =>
  line
    .trim()
    .split(',')
    .flatMap((word) => readMac(word) ?? []);

/** Comes before the line it replaces: the machine is a stranger again, and gets an address of the pool. */
export const renderRemovedHost = (line: string): string =>
  `${[...macsOfHost(line), '43200'].join(',')}\n`;

export const renderNames = (node: NodeData): string =>
  node.addresses
    .filter((one) => one.names.some(isDnsName) && isAddress(one.address))
    .map((one) => `${one.address} ${one.names.filter(isDnsName).join(' ')}\n`)
    .join('');

/** Loaders by TFTP and nothing else: beside a DHCP server that has none. */
export const renderTftpConfig = (config: {
  readonly folder: string;
  readonly interfaces: readonly string[];
}): string =>
  [
    '# written by Hostwright; changes are overwritten',
    'port=0',
    ...config.interfaces.map((name) => `interface=${name}`),
    'bind-interfaces',
    `user=${process.getuid?.() === 0 ? 'root' : ''}`,
    'pid-file=',
    `log-facility=${config.folder}/tftp.log`,
    'enable-tftp',
    `tftp-root=${config.folder}/tftp`,
    'tftp-no-fail',
    '',
  ].join('\n');
