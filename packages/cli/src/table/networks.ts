import type { CommandSpec, OptionSpec } from '../spec.ts';
import { LIMIT, NODE } from './arguments.ts';

const NETWORK = { name: 'network', summary: 'name or id' } as const;
const RANGE: OptionSpec = { flags: '--range <name>', summary: 'which range', default: 'host' };

const FIELDS: readonly OptionSpec[] = [
  { flags: '--description <text>', summary: 'a note' },
  { flags: '--category <word>', summary: 'admin, bmc, general or unmanaged' },
  { flags: '--group <word>', summary: 'networks of one group give a node the same host part' },
  { flags: '--domain <name>', summary: 'put behind the names of its addresses' },
  { flags: '--vlan <number>', summary: '1 to 4094, or none' },
  { flags: '--mtu <number>', summary: '576 to 65535, or none' },
  { flags: '--conduit <text>', summary: 'which NICs: 1g0, ?10g0,?10g1, bmc' },
  { flags: '--bond <mode>', summary: 'how several NICs work as one: 802.3ad ..., or none' },
  { flags: '--bridge', summary: 'put a bridge on it' },
  { flags: '--record-only', summary: 'addresses are recorded, machines not configured' },
  { flags: '--quarantine <seconds>', summary: 'how long nobody gets a released address' },
];

export const NETWORK_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'network list',
    summary: 'list networks and how full they are',
    load: () => import('../commands/network/list.ts'),
  },
  {
    path: 'network show',
    summary: 'show one network with its ranges',
    args: [NETWORK],
    load: () => import('../commands/network/show.ts'),
  },
  {
    path: 'network create',
    summary: 'make a network',
    args: [{ name: 'name', summary: 'lower case letters, digits and dashes' }],
    options: [
      ...FIELDS,
      {
        flags: '--range <name:first-last/length>',
        summary: 'a range for nodes; name=dhcp: for strangers, name=reserved: for nobody',
        many: true,
      },
      { flags: '--router <address>', summary: 'default router', many: true },
    ],
    examples: [
      'hostwright network create admin --category admin --domain lab.test --range host:10.0.0.10-10.0.0.99/24 --range pool=dhcp:10.0.0.100-10.0.0.200/24 --router 10.0.0.1',
    ],
    load: () => import('../commands/network/create.ts'),
  },
  {
    path: 'network set',
    summary: 'change a network',
    args: [NETWORK],
    options: [
      { flags: '--name <name>', summary: 'a new name' },
      ...FIELDS,
      { flags: '--without-bridge', summary: 'take the bridge off it' },
    ],
    load: () => import('../commands/network/set.ts'),
  },
  {
    path: 'network delete',
    summary: 'delete a network; refused while addresses of it are in use',
    args: [NETWORK],
    load: () => import('../commands/network/delete.ts'),
  },
  {
    path: 'network add-range',
    summary: 'add a range',
    args: [NETWORK, { name: 'range', summary: 'name:first-last/length' }],
    examples: ['hostwright network add-range admin six:fd00::10-fd00::ffff/64'],
    load: () => import('../commands/network/add-range.ts'),
  },
  {
    path: 'network remove-range',
    summary: 'take a range away; refused while addresses of it are in use',
    args: [NETWORK, { name: 'range', summary: 'name or id' }],
    load: () => import('../commands/network/remove-range.ts'),
  },
  {
    path: 'network router',
    summary: 'set the router of a network, one per family',
    args: [NETWORK, { name: 'address', summary: 'its address' }],
    options: [
      { flags: '--pref <number>', summary: 'the lowest on a host gives the default route' },
      { flags: '--remove', summary: 'take it away instead' },
    ],
    load: () => import('../commands/network/router.ts'),
  },
  {
    path: 'network addresses',
    summary: 'list addresses that are held, reserved or in quarantine',
    args: [{ ...NETWORK, optional: true }],
    options: [
      { flags: '--node <name>', summary: 'of this node', completes: 'node' },
      { flags: '-s, --state <state>', summary: 'held, reserved or quarantined', many: true },
      { flags: '-q, --search <text>', summary: 'beginning of the address, part of node or note' },
      { ...LIMIT, default: '500' },
    ],
    load: () => import('../commands/network/addresses.ts'),
  },
  {
    path: 'network allocate',
    summary: 'give a node an address',
    args: [NETWORK, NODE],
    options: [RANGE, { flags: '--address <address>', summary: 'exactly this one, or a refusal' }],
    load: () => import('../commands/network/allocate.ts'),
  },
  {
    path: 'network reserve',
    summary: 'keep an address for something that is no node',
    args: [
      NETWORK,
      { name: 'address', summary: 'which one' },
      { name: 'note', summary: 'whom it is for' },
    ],
    options: [RANGE],
    load: () => import('../commands/network/reserve.ts'),
  },
  {
    path: 'network release',
    summary: 'give an address back; nobody gets it before its quarantine is over',
    args: [{ name: 'address', summary: 'which one' }],
    options: [
      { flags: '--quarantine <seconds>', summary: 'instead of what the network says' },
      { flags: '--now', summary: 'free at once, quarantined ones too' },
    ],
    load: () => import('../commands/network/release.ts'),
  },
  {
    path: 'network filters',
    summary: 'which DNS names addresses get',
    load: () => import('../commands/network/filters.ts'),
  },
  {
    path: 'network filter',
    summary: 'make, change or remove a name filter',
    args: [{ name: 'filter', summary: 'its name' }],
    options: [
      { flags: '--template <text>', summary: 'like {{node.name}} or d{{node.mac}}' },
      { flags: '--priority <number>', summary: 'lowest first; no two alike' },
      {
        flags: '--match <key=value>',
        summary: 'network.category=admin, node.role=web, node.label.rack=r1 ...',
        many: true,
      },
      { flags: '--remove', summary: 'delete it instead' },
    ],
    load: () => import('../commands/network/filter.ts'),
  },
];
