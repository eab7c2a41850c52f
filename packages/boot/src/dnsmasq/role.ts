/** The role `dhcp-server`: dnsmasq with DHCP, proxy-DHCP, TFTP, and DNS for the names of nodes. */
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import { netmask, readSubnet, writeAddress } from '../address/number.ts';
import { askChecker } from '../daemon/check.ts';
import { installPrograms } from '../daemon/programs.ts';
import { readDhcpSubnets, type DhcpSubnet } from '../feed/read-subnets.ts';
import { writeServerFile } from '../feed/server-file.ts';
import {
  number,
  object,
  readLife,
  serverRole,
  text,
  texts,
  type ServerDeps,
  type ServerTransition,
} from '../feed/server-role.ts';
import type { DnsmasqConfig } from './render.ts';
import { LAYOUT } from './shard.ts';
import { startDnsmasq, stopDnsmasq } from './start.ts';

export const DNSMASQ_PROGRAMS = [
  // not `dnsmasq`, which brings a service that would start by itself
  { file: '/usr/sbin/dnsmasq', package: 'dnsmasq-base' },
  { file: '/usr/lib/ipxe/undionly.kpxe', package: 'ipxe' },
];

/** What the networks say: pools for strangers, subnets for known nodes only, domains, one router. */
export const fromSubnets = (
  subnets: readonly DhcpSubnet[],
): Pick<DnsmasqConfig, 'pools' | 'statics' | 'domains' | 'router'> => {
  const read = subnets.flatMap((one) => {
    const net = readSubnet(one.subnet);
    return net === null
      ? []
      : [{ ...one, base: writeAddress({ family: 4, value: net.base }), mask: netmask(net) }];
  });
  const routers = read.flatMap((one) => one.router ?? []);
  return {
    pools: read.flatMap(({ pools, mask }) => pools.map((pool) => ({ ...pool, netmask: mask }))),
    statics: read
      .filter(({ pools }) => pools.length === 0)
      .map(({ base, mask }) => ({ base, netmask: mask })),
    domains: read
      .filter(({ domain }) => domain !== '')
      .map(({ domain, subnet }) => ({ domain, subnet })),
    // dnsmasq gives one router to all: with several networks each has its own DHCP relay or server
    ...(routers.length === 1 && routers[0] !== undefined && { router: routers[0] }),
  };
};

/** `dnsmasq --test` does not look: a name with a slip in it would end the server that runs, and the new one at once. */
const checkInterfaces = async (
  interfaces: readonly string[],
  within: readonly string[],
): Promise<void> => {
  const unknown: string[] = [];
  for (const name of interfaces.filter((one) => !one.includes('*')))
    if ((await askChecker([...within, 'test', '-e', `/sys/class/net/${name}`])) !== null)
      unknown.push(name);
  if (unknown.length > 0)
    throw new HostwrightError('bad_input', {
      message: `this machine has no network interface ${unknown.join(', ')} (dhcp/interfaces); a server that runs goes on as it is`,
    });
};

export const dhcpServerRole = (deps: ServerDeps): ServerTransition => {
  const folder = join(deps.folder, 'dnsmasq');
  const within = deps.within ?? [];
  return serverRole(deps, {
    kind: 'dnsmasq',
    folder,
    up: async (handle) => {
      const dhcp = object(handle.attribs['dhcp']);
      const interfaces = texts(dhcp['interfaces']);
      if (interfaces.length === 0) {
        handle.log('no interface is named (dhcp/interfaces): dnsmasq is not started');
        return null;
      }
      await checkInterfaces(interfaces, within);
      await installPrograms(DNSMASQ_PROGRAMS, (line) => handle.log(line));
      const dnsPort = number(dhcp['dns_port'], 53);
      const started = await startDnsmasq(
        {
          folder,
          interfaces,
          dnsPort,
          bootUrl: text(dhcp['boot_url']),
          ...fromSubnets(await readDhcpSubnets(deps.database.db)),
          proxies: texts(dhcp['proxy']),
          dnsServers: texts(dhcp['dns_servers']),
          leaseSeconds: number(dhcp['lease_seconds'], 43_200),
          secureBoot: dhcp['secure_boot'] === true,
        },
        within,
      );
      handle.log(`dnsmasq ${started.started ? 'started' : 'runs already'} (pid ${started.pid})`);
      if (started.missingLoaders.length > 0)
        handle.log(`loaders that are not installed here: ${started.missingLoaders.join(', ')}`);
      await writeServerFile(folder, { kind: 'dnsmasq', dnsPort, within, layout: LAYOUT });
      return { incarnation: await readLife(folder, LAYOUT), wall: { dhcp: { running: true } } };
    },
    down: () => stopDnsmasq(folder),
  });
};
